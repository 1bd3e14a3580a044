// Workers that recurse through most of their stack of 4 MiB. Prints answers, then "ready".
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { createHash } = require('crypto');

const WORKERS = 12;

function descend(depth) {
  return depth === 0 ? 0 : 1 + descend(depth - 1);
}

if (isMainThread) {
  const answers = [];
  const workers = [];
  let finished = 0;
  for (let number = 0; number < WORKERS; number++) {
    const worker = new Worker(__filename, {
      workerData: number,
      resourceLimits: { stackSizeMb: 4 },
    });
    worker.on('message', (answer) => {
      answers[number] = answer;
      if (++finished === WORKERS) {
        console.log(answers.join('\n'));
        console.log('ready');
      }
    });
    worker.on('error', (error) => {
      console.error(error);
      process.exit(1);
    });
    workers.push(worker);
  }
  process.stdin.resume().on('end', () => workers.forEach((worker) => worker.postMessage('over')));
} else {
  const text = createHash('sha256').update(String(workerData).repeat(100000)).digest('hex');
  parentPort.postMessage(`${descend(20000 + workerData)} ${text}`);
  parentPort.once('message', () => {});
}

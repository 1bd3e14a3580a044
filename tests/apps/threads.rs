// Threads that use their stacks deeply, and panic there. Prints answers, then "ready".
use std::hint::black_box;
use std::io::Read;
use std::sync::{Arc, Barrier};
use std::thread;

const THREADS: u64 = 64;
const DEPTH: u64 = 5000;

#[inline(never)]
fn descend(depth: u64) -> u64 {
    let frame = black_box([depth as u8; 1024]);
    if depth == 0 {
        panic!("on purpose");
    }
    descend(depth - 1) + frame[1000] as u64
}

fn work(number: u64) -> String {
    let caught = std::panic::catch_unwind(|| descend(DEPTH + number)).unwrap_err();
    format!("{} {}", number, caught.downcast_ref::<&str>().unwrap())
}

fn main() {
    let worked = Arc::new(Barrier::new(THREADS as usize + 1));
    let over = Arc::new(Barrier::new(THREADS as usize + 1));
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            let (worked, over) = (worked.clone(), over.clone());
            thread::Builder::new()
                .stack_size(8 << 20)
                .spawn(move || {
                    let answer = work(number);
                    worked.wait();
                    over.wait();
                    answer
                })
                .unwrap()
        })
        .collect();
    worked.wait();
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    over.wait();
    for one in threads {
        println!("{}", one.join().unwrap());
    }
}

// Goroutines that are in C together, each on a thread. Prints answers, then "ready".
package main

/*
#include <pthread.h>
#include <string.h>

enum { THREADS = 64 };
static pthread_barrier_t worked, over;

static void prepare(void)
{
	pthread_barrier_init(&worked, 0, THREADS + 1);
	pthread_barrier_init(&over, 0, THREADS + 1);
}

static __attribute__((noinline)) long descend(long depth)
{
	volatile char frame[1024];
	memset((char *)frame, (int)depth, sizeof(frame));
	return depth == 0 ? 0 : descend(depth - 1) + frame[1000] - (char)depth + 1;
}

static long work(long number)
{
	long depth = descend(4500 + number);
	pthread_barrier_wait(&worked);
	pthread_barrier_wait(&over);
	return depth;
}

static void wait_worked(void) { pthread_barrier_wait(&worked); }
static void release(void) { pthread_barrier_wait(&over); }
*/
import "C"

import (
	"fmt"
	"io"
	"os"
)

func main() {
	C.prepare()
	answers := make([]chan C.long, C.THREADS)
	for i := range answers {
		answers[i] = make(chan C.long, 1)
		go func(number int) { answers[number] <- C.work(C.long(number)) }(i)
	}
	C.wait_worked()
	fmt.Println("ready")
	io.ReadAll(os.Stdin)
	C.release()
	for _, answer := range answers {
		fmt.Println(<-answer)
	}
}

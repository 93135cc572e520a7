import { launcher } from './launcher.ts';

/** Has a program started, and then holds its own event loop, so that it never takes what its launcher sends. */
launcher.start(['/bin/sh', '-c', 'cat', process.argv[2]!], 3);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

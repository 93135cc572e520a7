/** Rests are this much longer than the work before them. */
const REST_SHARE = 5;

/**
 * To be called after each piece of long work: blocks for several times as long as the piece took, so that most of a
 * processor and of the disk is left to those who serve clients. For commands that do nothing else meanwhile.
 */
export function createPace(): () => void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  let from = performance.now();
  return () => {
    Atomics.wait(nothing, 0, 0, (performance.now() - from) * REST_SHARE);
    from = performance.now();
  };
}

import type { PictureAnswer } from './picture-job.ts';

/** A worker that does as its picture says: answers at its beginning, or goes on to write behind its answer. */
let seen = 0;
let line = '';
let way = '';
process.stdin.on('data', (chunk: Buffer) => {
  seen += chunk.length;
  if (way !== '') return end();
  line += chunk.toString('latin1');
  way = /\n(early|talkative)/.exec(line)?.[1] ?? '';
  end();
});

let isDone = false;
function end(): void {
  if (isDone || way === '' || (way === 'talkative' && seen < 1_200_000)) return;
  isDone = true;
  const answer = `${JSON.stringify({ kind: 'refused', words: way } satisfies PictureAnswer)}\n`;
  process.stdout.write(answer);
  if (way === 'early') process.stdin.pause();
  else setTimeout(() => process.stdout.write(answer), 100);
}

import { expect, onTestFinished, test } from 'vitest';
import type { VariantBody } from '#domain/post/render.ts';
import { noteServerTime, serverNow } from '../../workspace/clock.ts';
import { isMoving } from './shown-post.ts';

const DAY_MS = 86_400_000;

test('a Post that is due within a minute by the server’s clock is looked at again, whatever this browser’s says', () => {
  onTestFinished(() => noteServerTime(Date.now(), Date.now()));
  noteServerTime(Date.now() + 40 * DAY_MS, Date.now());
  const dueIn = (milliseconds: number) => {
    const scheduledAt = new Date(serverNow() + milliseconds).toISOString();
    return isMoving({ status: 'scheduled', mediaReady: true, scheduledAt } as VariantBody);
  };
  expect([dueIn(50_000), dueIn(120_000)]).toEqual([true, false]);
});

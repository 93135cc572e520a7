import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createHarness } from '../sandbox.fixture.ts';
import { createSqliteStore } from '../store/sqlite-store.ts';
import { createMailbox } from './mailbox.ts';

const MAIL = { to: 'Ada@example.com', subject: 'Sign in', text: 'Open http://crier.test/a?b=1&c', html: '<p>Open</p>' };

test('mail is listed newest last, and by its address whatever the case', async () => {
  const harness = createHarness();
  for (const mail of [MAIL, { ...MAIL, to: 'grace@example.com' }, { ...MAIL, subject: 'Again' }])
    expect((await harness.ask('POST', '/sandbox/mail', { json: mail })).status).toBe(201);
  const { body } = await harness.ask('GET', '/sandbox/mail?to=ada@EXAMPLE.com');
  expect(body.messages).toEqual([
    { ...MAIL, at: '2026-11-20T12:00:00.000Z' },
    { ...MAIL, subject: 'Again', at: '2026-11-20T12:00:00.000Z' },
  ]);
  expect((await harness.ask('GET', '/sandbox/mail')).body.messages).toHaveLength(3);
});

test('the page shows the newest first, links addresses and runs nothing of a mail', async () => {
  const harness = createHarness();
  await harness.ask('POST', '/sandbox/mail', { json: { ...MAIL, subject: '<script>1</script>', text: '"<b>x</b>' } });
  await harness.ask('POST', '/sandbox/mail', { json: MAIL });
  const { status, text, headers } = await harness.ask('GET', '/mail');
  expect([status, headers['content-security-policy']]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(text).toContain('<a href="http://crier.test/a?b=1&amp;c" rel="noreferrer">http://crier.test/a?b=1&amp;c</a>');
  expect(text).toContain('&lt;script&gt;1&lt;/script&gt;');
  expect(text).toContain('&quot;&lt;b&gt;x&lt;/b&gt;');
  expect(text.indexOf('Sign in')).toBeLessThan(text.indexOf('&lt;script&gt;'));
});

test.each([{}, { ...MAIL, to: 7 }, { ...MAIL, more: '' }, { ...MAIL, html: 'x'.repeat(400_001) }])(
  'what is no mail is refused and not kept',
  async (json) => {
    const harness = createHarness();
    expect((await harness.ask('POST', '/sandbox/mail', { json })).status).toBe(400);
    expect((await harness.ask('GET', '/sandbox/mail')).body.messages).toEqual([]);
  },
);

test('the newest 500 mails are kept, over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-mail-'));
  try {
    for (const [start, count] of [
      [0, 400],
      [400, 300],
    ] as const) {
      const store = createSqliteStore(join(folder, 'sandbox.db'), createMemoryClock());
      const mailbox = createMailbox(store);
      for (let index = 0; index < count; index++) mailbox.add({ ...MAIL, subject: String(start + index), at: 0 });
      const subjects = mailbox.list().map(({ subject }) => Number(subject));
      const last = start + count - 1;
      expect([subjects.length, subjects[0], subjects.at(-1)]).toEqual([
        Math.min(500, last + 1),
        Math.max(0, last - 499),
        last,
      ]);
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

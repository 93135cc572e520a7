import { expect, test } from 'vitest';
import { webAddress } from './web-address.ts';

test.each([
  ['https://x.com/ada/status/1', 'https://x.com/ada/status/1'],
  ['http://127.0.0.1:8090/sim/x/1', 'http://127.0.0.1:8090/sim/x/1'],
  ['HTTPS://x.com', 'https://x.com/'],
])('%s is linked', (address, href) => {
  expect(webAddress(address)).toBe(href);
});

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  '\u0000javascript:alert(1)',
  'javascript://x.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://x.com/1',
  'vbscript:a',
  'file:///etc/passwd',
  'intent://x.com#Intent;end',
  '//x.com/ada',
  '/app/keys',
  'x.com/ada',
  '',
])('%j is not linked', (address) => {
  expect(webAddress(address)).toBeNull();
});

import { expect, test } from 'vitest';
import type { Download } from '#ports/download.ts';
import { filesFrom } from './sandbox-files.ts';

test('the sandbox fetches our files where it reaches them, and others where they are', async () => {
  const asked: string[] = [];
  const download: Download = {
    get: ({ url }) => {
      asked.push(url);
      return Promise.reject(new Error('there is no file'));
    },
  };
  const files = filesFrom('http://crier:80/', { mediaUrl: 'https://media.example.com/of', download });
  const urls = [
    'https://media.example.com/of/media/a?b=1',
    'https://media.example.com/office',
    'https://other.test/of/',
  ];
  for (const url of urls) await files.get({ url, timeoutMs: 1_000 }).catch(() => undefined);
  expect(asked).toEqual(['http://crier:80/media/a?b=1', ...urls.slice(1)]);
});

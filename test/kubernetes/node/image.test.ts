import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf } from './control-group.ts';
import { imageSettings } from './image.ts';

test('a container runs what the Dockerfile says', () => {
  const dockerfile = readFileSync(resolve(import.meta.dirname, '../../../deploy/Dockerfile'), 'utf8');
  expect(imageSettings(dockerfile)).toMatchObject({
    entrypoint: ['node', '--max-semi-space-size=16', 'services/crier/cli/main.ts'],
    command: ['start'],
    workingDirectory: '/crier',
    env: { NODE_ENV: 'production', CRIER_DATA_DIR: '/data' },
  });
});

test('limits of memory are read as Kubernetes writes them', () => {
  expect([bytesOf('1Gi'), bytesOf('384Mi'), bytesOf('1000'), bytesOf('1G')]).toEqual([
    2 ** 30,
    384 * 2 ** 20,
    1e3,
    1e9,
  ]);
  expect(() => bytesOf('much')).toThrow('no amount of memory');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findKey, saveKey } from './credentials.ts';
import type { Terminal } from './terminal.ts';

const SAVED = { url: 'https://crier.example.com', key: 'crier_saved' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  saveKey(terminal(), 'client-a', SAVED);
});
afterEach(() => rmSync(folder, { recursive: true }));

function terminal(variables: Readonly<Record<string, string>> = {}): Terminal {
  return { environment: { XDG_CONFIG_HOME: folder, ...variables } } as unknown as Terminal;
}

test('a saved key goes to no other installation that a variable names', () => {
  const elsewhere = terminal({ CRIER_URL: 'http://127.0.0.1:8080' });
  expect(() => findKey(elsewhere, 'client-a')).toThrow(
    'is for https://crier.example.com. Set CRIER_KEY, too, or unset CRIER_URL',
  );
  expect(findKey(terminal({ CRIER_URL: 'https://crier.example.com/' }), 'client-a')).toMatchObject({
    key: 'crier_saved',
  });
});

test('variables win where they name a key', () => {
  const both = { CRIER_URL: 'http://127.0.0.1:8080', CRIER_KEY: 'crier_other' };
  expect(findKey(terminal(both), 'client-a')).toEqual({ url: both.CRIER_URL, key: both.CRIER_KEY });
  expect(findKey(terminal({ CRIER_KEY: 'crier_other' }), 'client-a')).toEqual({ ...SAVED, key: 'crier_other' });
});

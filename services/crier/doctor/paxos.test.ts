import { expect, test } from 'vitest';
import { paxosFindings } from './paxos.ts';

test('nodes with the former Paxos are named, with what to set', () => {
  const [finding] = paxosFindings([
    { node: '10.0.0.1:9042', variant: 'v2' },
    { node: '10.0.0.2:9042', variant: 'v1' },
  ]);
  expect(finding).toMatchObject({ check: 'paxos', ok: true });
  expect(finding?.detail).toMatch(/^not v2 at 10\.0\.0\.2:9042 \(v1\): .*set paxos_variant: v2 on all nodes/);
});

test('where all have v2 it says so, and where nodes do not tell there is nothing to say', () => {
  expect(paxosFindings([{ node: '10.0.0.1:9042', variant: 'v2' }])).toEqual([
    { check: 'paxos', ok: true, detail: 'all nodes that answer have paxos_variant v2' },
  ]);
  expect(paxosFindings([])).toEqual([]);
});

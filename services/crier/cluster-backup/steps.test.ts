import { expect, test } from 'vitest';
import { backupSteps } from './steps.ts';

test('the snapshot is taken by commands that nodetool and Medusa have, of all that they back up', () => {
  const names = { cassandraKeyspace: 'crier', kafkaTopicPrefix: '', s3Bucket: 'files', dataDir: '.crier' };
  const facts = { replication: {}, durableWrites: true, nodes: ['a', 'b'], release: '5.0.9' };
  const commands = backupSteps(names, facts, 'crier-1').flatMap((step) => step.commands);
  expect(commands.filter((command) => /^(nodetool|medusa) /.test(command))).toEqual([
    'nodetool snapshot --tag crier-1 crier',
    // `backup-cluster` takes the name and how many nodes at once; it has no choice of keyspaces.
    'medusa backup-cluster --backup-name=crier-1',
  ]);
});

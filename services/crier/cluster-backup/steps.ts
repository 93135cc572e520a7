import type { KeyspaceFacts } from '#adapters/cassandra/keyspace-facts.ts';
import type { Config } from '#config/config.ts';

/** One step of the procedure: what it is for, and the commands, as they are for this installation. */
export interface BackupStep {
  readonly what: string;
  readonly commands: readonly string[];
}

type Names = Pick<Config, 'cassandraKeyspace' | 'kafkaTopicPrefix' | 's3Bucket' | 'dataDir'>;

/** The backup of a cluster, in the one order in which tables and log fit together. `tag` names the snapshot. */
export function backupSteps(config: Names, { nodes }: KeyspaceFacts, tag: string): readonly BackupStep[] {
  const { cassandraKeyspace: keyspace, s3Bucket } = config;
  return [
    {
      what: 'Hold publishing: two seconds later nothing new is sent.',
      commands: [`crier admin publishing.hold '{"reason":"backup ${tag}"}'`],
    },
    {
      what: 'Stop the roles ingress, app and scheduler: timers that wait are in the tables. Repeat this until nothing is unfinished, while the other roles run on. Then stop all other processes.',
      commands: ['crier backup'],
    },
    {
      what: 'Write the mark, which says what the snapshot has to hold. It is refused while anything is under way.',
      commands: [`crier backup --to=${tag}.json`],
    },
    {
      what: `Take a snapshot of keyspace ${keyspace} on each node (${nodes.join(', ')}), or of all by Medusa.`,
      commands: [`nodetool snapshot --tag ${tag} ${keyspace}`, `medusa backup-cluster --backup-name=${tag}`],
    },
    {
      what: 'Start the processes, and go on publishing.',
      commands: [`crier admin publishing.release '{}'`],
    },
    {
      what: 'Copy to another place: the snapshot, the mark, CRIER_SECRET, and the files. Kafka needs none: at the mark nothing is unfinished in it.',
      commands: [
        `<data>/${keyspace}/*/snapshots/${tag}`,
        `${tag}.json`,
        s3Bucket === '' ? `${config.dataDir}/blobs` : `s3://${s3Bucket}`,
      ],
    },
  ];
}

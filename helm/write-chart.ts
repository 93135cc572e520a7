import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DASHBOARDS } from './dashboards/dashboards.ts';
import { grafanaJson } from './dashboards/grafana-json.ts';
import { kafkaTopics } from './kafka-topics.ts';
import { chartReadme } from './readme.ts';
import { rulesFile } from './rules/rules-file.ts';
import { REMOVED_VALUES } from './schema/removed-values.ts';
import { VALUES_SCHEMA } from './schema/values-schema.ts';

const chart = (path: string): URL => new URL(`crier/${path}`, import.meta.url);

writeFileSync(chart('values.schema.json'), `${JSON.stringify(VALUES_SCHEMA, null, 1)}\n`);
writeFileSync(chart('files/removed.yaml'), removedFile());
writeFileSync(chart('files/rules.yaml'), rulesFile());
mkdirSync(chart('files/dashboards'), { recursive: true });
for (const dashboard of DASHBOARDS)
  writeFileSync(chart(`files/dashboards/${dashboard.name}.json`), grafanaJson(dashboard));
writeFileSync(chart('README.md'), chartReadme(readFileSync(chart('values.yaml'), 'utf8')));
writeFileSync(new URL('examples/strimzi/kafka-topics.yaml', import.meta.url), kafkaTopics());

function removedFile(): string {
  const lines = Object.entries(REMOVED_VALUES).map(([name, words]) => `${name}: ${JSON.stringify(words)}`);
  return `# Written by \`npm run docs\` from helm/schema/removed-values.ts.\n${lines.join('\n')}\n`;
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOfFacts, type VendorFacts } from './form.ts';
import { youtubeFacts } from './from-discovery.ts';
import { graphFacts, type GraphSpecs } from './from-graph.ts';
import { xFacts } from './from-openapi.ts';

// Run as `npm run vendors -- <network> <file or folder> <version> <date>`; schemas/vendors/README.md has all of it.
const [network = '', place = '', version = '', date = ''] = process.argv.slice(2);

const WRITERS: Readonly<Record<string, () => readonly VendorFacts[]>> = {
  x: () => [
    xFacts(json(place), { address: 'https://github.com/xdevplatform/docs/blob/main/openapi.json', version, date }),
  ],
  youtube: () => {
    const documents = ['youtube.v3.json', 'youtubeAnalytics.v2.json'];
    const folder = 'https://github.com/googleapis/google-api-python-client/blob/main/googleapiclient/discovery_cache';
    const sourceOf = (file: string) => ({ address: `${folder}/documents/${file}`, version, date });
    return [
      youtubeFacts(
        documents.map((file) => json(join(place, file))),
        { youtube: sourceOf(documents[0]!), youtubeAnalytics: sourceOf(documents[1]!) },
      ),
    ];
  },
  meta: () => {
    const specs: GraphSpecs = {
      spec: (name) => (existsSync(join(place, `${name}.json`)) ? json(join(place, `${name}.json`)) : null),
      enums: json(join(place, 'enum_types.json')),
    };
    const folder = 'https://github.com/facebook/facebook-business-sdk-codegen/tree/main/api_specs/specs';
    const source = { address: folder, version, date };
    return [graphFacts('facebook', specs, source), graphFacts('instagram', specs, source)];
  },
};

const writer = WRITERS[network];
if (writer === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) {
  console.error(`Write: npm run vendors -- <${Object.keys(WRITERS).join(' or ')}> <file or folder> <version> <date>`);
  process.exitCode = 1;
} else {
  for (const facts of writer()) writeFileSync(new URL(`${facts.network}.json`, import.meta.url), textOfFacts(facts));
}

/** A vendor's file is what it says it is: its readers name what they look for and do not find. */
function json<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

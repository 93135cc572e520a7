import { makeArtifacts } from './artifacts.ts';

// Makes the artifacts of a checkout, which may have changes, for artifacts.test.ts: under a umask and a time zone of
// its own.

const [root = '', into = '', version = ''] = process.argv.slice(2);
await makeArtifacts({ root, into, version, at: new Date('2026-01-02T03:04:05Z') });

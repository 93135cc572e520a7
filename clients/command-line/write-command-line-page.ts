import { writeFileSync } from 'node:fs';
import { commandLinePage } from './command-line-page.ts';

writeFileSync(new URL('../../docs/command-line.md', import.meta.url), commandLinePage());

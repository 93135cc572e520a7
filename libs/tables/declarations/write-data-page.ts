import { writeFileSync } from 'node:fs';
import { dataPage } from './data-page.ts';

writeFileSync(new URL('../../../docs/data.md', import.meta.url), dataPage());

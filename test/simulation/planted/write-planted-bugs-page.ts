import { writeFileSync } from 'node:fs';
import { plantedBugsPage } from './page.ts';
import { projectFile } from './source-edits.ts';

writeFileSync(projectFile('docs/planted-bugs.md'), plantedBugsPage());

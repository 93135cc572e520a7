import { readFileSync, writeFileSync } from 'node:fs';
import { sizeTables } from './size-tables.ts';

const PAGE = new URL('../../docs/deploy/size.md', import.meta.url);
const [BEGIN, END] = ['<!-- tables -->\n', '\n<!-- end of tables -->'];

const text = readFileSync(PAGE, 'utf8');
const [before] = text.split(BEGIN);
const [, after] = text.split(END);
writeFileSync(PAGE, `${before}${BEGIN}${sizeTables()}${END}${after}`);

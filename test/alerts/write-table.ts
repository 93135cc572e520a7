import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { FAULTS, tableOf } from './faults.ts';
import { rowsOfThisCommit } from './kept-rows.ts';

// Writes what `make alerts` saw into docs/alerts.md, once every fault was seen at the commit that is checked out.

const PAGE = resolve(import.meta.dirname, '../../docs/alerts.md');
const [BEGIN, END] = ['<!-- faults -->', '<!-- end of faults -->'];

const { rows, on } = rowsOfThisCommit();
const unseen = Object.values(FAULTS).filter(({ name }) => !rows.some((row) => row.name === name));
if (unseen.length > 0) throw new Error(`not seen at this commit: ${unseen.map(({ name }) => name).join('; ')}`);
const where = `Seen on ${on}, all at one commit, on ${availableParallelism()} cores:`;
const text = readFileSync(PAGE, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END))];
writeFileSync(PAGE, `${before}${BEGIN}\n${where}\n\n${tableOf(rows)}\n${after}`);

import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { apiSource } from './api-source.ts';

const document: unknown = JSON.parse(readFileSync(new URL('../../schemas/http/openapi.json', import.meta.url), 'utf8'));
const target = new URL('api.ts', import.meta.url);
const config = await resolveConfig(target);
writeFileSync(target, await format(apiSource(document), { ...config, parser: 'typescript' }));

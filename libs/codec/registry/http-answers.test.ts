import { describe, expect, it } from 'vitest';
import { readSchemaHistory, type SchemaVersion } from '../schema-history.ts';
import { answerRegistryRequest } from './http-answers.ts';

const history = readSchemaHistory();
const cancel = history.find((schema) => schema.name === 'CancelPost') as SchemaVersion;
const own = JSON.stringify({ schema: cancel.text });
const described = { subject: 'crier.CancelPost', version: 1, id: cancel.id, schema: cancel.text };
const broken = JSON.stringify({
  schema: JSON.stringify({ ...JSON.parse(cancel.text), fields: [{ name: 'because', type: 'string' }] }),
});
const reworded = JSON.stringify({ schema: JSON.stringify({ ...JSON.parse(cancel.text), doc: 'In other words.' }) });

const ask = (method: string, path: string, body = '') => answerRegistryRequest(history, { method, path, body });
const code = (error_code: number) => expect.objectContaining({ error_code, message: expect.any(String) });

describe('requests that it answers', () => {
  it.each([
    ['GET', '/subjects/crier.CancelPost/versions', '', [1]],
    ['GET', '/subjects/crier.CancelPost/versions/1', '', described],
    ['GET', '/subjects/crier.CancelPost/versions/latest', '', described],
    ['GET', '/subjects/crier%2ECancelPost/versions/latest?deleted=true', '', described],
    ['POST', '/subjects/crier.CancelPost', own, described],
    ['POST', '/subjects/crier.CancelPost', reworded, described],
    ['POST', '/subjects/crier.CancelPost/versions', own, { id: cancel.id }],
    ['GET', `/schemas/ids/${cancel.id}`, '', { schema: cancel.text }],
    ['GET', '/config', '', { compatibilityLevel: 'FULL_TRANSITIVE' }],
    ['GET', '/config/crier.CancelPost', '', { compatibilityLevel: 'FULL_TRANSITIVE' }],
    ['PUT', '/config/crier.CancelPost', '{"compatibility":"FULL_TRANSITIVE"}', { compatibility: 'FULL_TRANSITIVE' }],
    ['POST', '/compatibility/subjects/crier.CancelPost/versions/latest', own, { is_compatible: true, messages: [] }],
    [
      'POST',
      '/compatibility/subjects/crier.CancelPost/versions/1',
      broken,
      { is_compatible: false, messages: expect.arrayContaining([expect.any(String)]) },
    ],
  ])('answers %s %s', (method, path, body, answer) => {
    expect(ask(method, path, body)).toEqual({ status: 200, body: answer });
  });

  it('lists one subject for each message', () => {
    expect(ask('GET', '/subjects').body).toEqual([...new Set(history.map(({ name }) => `crier.${name}`))]);
  });
});

describe('requests that it refuses', () => {
  it.each([
    ['GET', '/', '', 404, 404],
    ['GET', '/mode', '', 404, 404],
    ['GET', '/subjects/crier.CancelPost/versions/1/schema', '', 404, 404],
    ['DELETE', '/subjects/crier.CancelPost', '', 405, 405],
    ['DELETE', '/schemas/ids/1', '', 405, 405],
    ['GET', '/subjects/other/versions', '', 404, 40401],
    ['POST', '/subjects/other', own, 404, 40401],
    ['GET', '/config/other', '', 404, 40401],
    ['GET', '/subjects/crier.CancelPost/versions/2', '', 404, 40402],
    ['GET', '/subjects/crier.CancelPost/versions/first', '', 422, 42202],
    ['POST', '/subjects/crier.CancelPost', broken, 404, 40403],
    ['GET', '/schemas/ids/9999', '', 404, 40403],
    ['GET', '/schemas/ids/1e0', '', 404, 40403],
    ['POST', '/subjects/crier.CancelPost', 'no json', 422, 42201],
    ['POST', '/subjects/crier.CancelPost', '{"schema":"no json"}', 422, 42201],
    ['POST', '/subjects/crier.CancelPost', JSON.stringify({ schema: cancel.text, schemaType: 'PROTOBUF' }), 422, 42201],
    ['POST', '/subjects/crier.CancelPost/versions', broken, 422, 42205],
    ['POST', '/subjects/other/versions', own, 422, 42205],
    ['PUT', '/config/crier.CancelPost', '{"compatibility":"NONE"}', 422, 42205],
    ['PUT', '/config', '{"compatibility":"NONE"}', 422, 42205],
    ['POST', '/compatibility/subjects/crier.CancelPost/versions/7', own, 404, 40402],
    ['GET', '/%E0%A4%A', '', 404, 404],
  ])('%s %s is refused with a reason', (method, path, body, status, errorCode) => {
    expect(ask(method, path, body)).toEqual({ status, body: code(errorCode) });
  });
});

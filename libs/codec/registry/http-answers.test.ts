import { describe, expect, it } from 'vitest';
import { readSchemaHistory, type SchemaVersion } from '../schema-history.ts';
import { answerRegistryRequest } from './http-answers.ts';

const history = readSchemaHistory();
const due = history.find((schema) => schema.name === 'PlanDue') as SchemaVersion;
const own = JSON.stringify({ schema: due.text });
const described = { subject: 'crier.PlanDue', version: 1, id: due.id, schema: due.text };
const broken = JSON.stringify({
  schema: JSON.stringify({ ...JSON.parse(due.text), fields: [{ name: 'because', type: 'string' }] }),
});
const reworded = JSON.stringify({ schema: JSON.stringify({ ...JSON.parse(due.text), doc: 'In other words.' }) });

const ask = (method: string, path: string, body = '') => answerRegistryRequest(history, { method, path, body });
const code = (error_code: number) => expect.objectContaining({ error_code, message: expect.any(String) });

describe('requests that it answers', () => {
  it.each([
    ['GET', '/subjects/crier.PlanDue/versions', '', [1]],
    ['GET', '/subjects/crier.PlanDue/versions/1', '', described],
    ['GET', '/subjects/crier.PlanDue/versions/latest', '', described],
    ['GET', '/subjects/crier%2EPlanDue/versions/latest?deleted=true', '', described],
    ['POST', '/subjects/crier.PlanDue', own, described],
    ['POST', '/subjects/crier.PlanDue', reworded, described],
    ['POST', '/subjects/crier.PlanDue/versions', own, { id: due.id }],
    ['GET', `/schemas/ids/${due.id}`, '', { schema: due.text }],
    ['GET', '/config', '', { compatibilityLevel: 'FULL_TRANSITIVE' }],
    ['GET', '/config/crier.PlanDue', '', { compatibilityLevel: 'FULL_TRANSITIVE' }],
    ['PUT', '/config/crier.PlanDue', '{"compatibility":"FULL_TRANSITIVE"}', { compatibility: 'FULL_TRANSITIVE' }],
    ['POST', '/compatibility/subjects/crier.PlanDue/versions/latest', own, { is_compatible: true, messages: [] }],
    [
      'POST',
      '/compatibility/subjects/crier.PlanDue/versions/1',
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
    ['GET', '/subjects/crier.PlanDue/versions/1/schema', '', 404, 404],
    ['DELETE', '/subjects/crier.PlanDue', '', 405, 405],
    ['DELETE', '/schemas/ids/1', '', 405, 405],
    ['GET', '/subjects/other/versions', '', 404, 40401],
    ['POST', '/subjects/other', own, 404, 40401],
    ['GET', '/config/other', '', 404, 40401],
    ['GET', '/subjects/crier.PlanDue/versions/2', '', 404, 40402],
    ['GET', '/subjects/crier.PlanDue/versions/first', '', 422, 42202],
    ['POST', '/subjects/crier.PlanDue', broken, 404, 40403],
    ['GET', '/schemas/ids/9999', '', 404, 40403],
    ['GET', '/schemas/ids/1e0', '', 404, 40403],
    ['POST', '/subjects/crier.PlanDue', 'no json', 422, 42201],
    ['POST', '/subjects/crier.PlanDue', '{"schema":"no json"}', 422, 42201],
    ['POST', '/subjects/crier.PlanDue', JSON.stringify({ schema: due.text, schemaType: 'PROTOBUF' }), 422, 42201],
    ['POST', '/subjects/crier.PlanDue/versions', broken, 422, 42205],
    ['POST', '/subjects/other/versions', own, 422, 42205],
    ['PUT', '/config/crier.PlanDue', '{"compatibility":"NONE"}', 422, 42205],
    ['PUT', '/config', '{"compatibility":"NONE"}', 422, 42205],
    ['POST', '/compatibility/subjects/crier.PlanDue/versions/7', own, 404, 40402],
    ['GET', '/%E0%A4%A', '', 404, 404],
  ])('%s %s is refused with a reason', (method, path, body, status, errorCode) => {
    expect(ask(method, path, body)).toEqual({ status, body: code(errorCode) });
  });
});

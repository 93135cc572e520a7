import type { VendorEndpoint, VendorFacts, VendorField } from '#schemas/vendors/form.ts';
import type { RequestContent, Values } from './request-content.ts';
import { selectionProblems } from './selected-fields.ts';
import { objectProblems, resolved, valueProblems } from './values.ts';

/** What of a request this endpoint does not have, and what it wants and the request lacks. */
export function endpointProblems(
  content: RequestContent,
  endpoint: VendorEndpoint,
  facts: VendorFacts,
): readonly string[] {
  const isAnywhere = facts.parametersIn === 'anywhere' && endpoint.bodies === undefined;
  const given = isAnywhere ? { ...content.query, ...withoutPlaces(content.body ?? {}) } : content.query;
  const selection = given['fields'];
  return [
    ...headerProblems(content, endpoint, facts),
    ...(endpoint.isAddressGiven === true
      ? []
      : objectProblems(given, { fields: endpoint.parameters ?? {} }, '', { facts, isText: true })),
    ...(isAnywhere ? [] : bodyProblems(content, endpoint, facts)),
    ...(facts.parametersIn === 'anywhere' && typeof selection === 'string' && endpoint.reads !== undefined
      ? selectionProblems(selection, endpoint.reads, facts)
      : []),
  ];
}

/** `attached_media[0]`, `attached_media[1]` in a form are the values of one list. */
function withoutPlaces(values: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [name.replace(/\[\d*\]$/, ''), value] as const);
  const grouped = Map.groupBy(entries, ([name]) => name);
  return Object.fromEntries(
    [...grouped].map(([name, found]) => [name, found.length === 1 ? found[0]![1] : found.map(([, each]) => each)]),
  );
}

/** Headers that are no vendor's own: those of HTTP, and what a browser sends on its own. */
const EVERYWHERE =
  /^(accept(-\w+)?|authorization|cache-control|connection|content-(length|type)|cookie|host|keep-alive|origin|referer|sec-[\w-]+|transfer-encoding|upgrade-insecure-requests|user-agent)$/;

function headerProblems(
  { headers, hasBody }: RequestContent,
  { headers: own = {} }: VendorEndpoint,
  facts: VendorFacts,
): readonly string[] {
  const missing = Object.entries(own).filter(
    ([name, { required }]) => required === true && !headers.has(name) && (hasBody || name !== 'content-type'),
  );
  return [
    ...missing.map(([name]) => `the header ${name} is required`),
    ...[...headers].flatMap(([name, value]) => {
      const field: VendorField | undefined = own[name];
      if (field !== undefined) return valueProblems(value, field, name, { facts, isText: true });
      return EVERYWHERE.test(name) ? [] : [`the vendor has no header ${name}`];
    }),
  ];
}

function bodyProblems(content: RequestContent, endpoint: VendorEndpoint, facts: VendorFacts): readonly string[] {
  const { bodies } = endpoint;
  if (!content.hasBody) return endpoint.isBodyRequired === true ? ['a body is required'] : [];
  if (bodies === undefined) return ['there is no body in this call'];
  if (bodies['bytes'] !== undefined) return [];
  const field = bodies[content.contentType];
  if (field === undefined)
    return [`the body is ${content.contentType || 'of no type'} and should be ${Object.keys(bodies).join(' or ')}`];
  const isText = content.contentType !== 'application/json';
  return objectProblems(content.body, resolved(field, facts), '', { facts, isText });
}

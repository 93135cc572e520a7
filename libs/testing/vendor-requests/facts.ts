import { readFileSync, existsSync } from 'node:fs';
import type { Network } from '#domain/network.ts';
import type { VendorEndpoint, VendorFacts, VendorField } from '#schemas/vendors/form.ts';

const FOLDER = new URL('../../../schemas/vendors/', import.meta.url);

const read = new Map<Network, VendorFacts>();

/** What a Network's vendor documents: what is generated from its file, and what was typed by hand, as one. */
export function vendorFactsOf(network: Network): VendorFacts {
  const known = read.get(network);
  if (known !== undefined) return known;
  const byHand = new URL(`${network}.by-hand.json`, FOLDER);
  const own = factsIn(new URL(`${network}.json`, FOLDER));
  const facts = withCommon(existsSync(byHand) ? merged(own, factsIn(byHand)) : own);
  read.set(network, facts);
  return facts;
}

/** Every endpoint has the parameters that all of them take. */
function withCommon(facts: VendorFacts): VendorFacts {
  const endpoints = facts.endpoints.map((endpoint) => ({
    ...endpoint,
    parameters: { ...facts.common, ...endpoint.parameters },
  }));
  return { ...facts, endpoints };
}

function factsIn(file: URL): VendorFacts {
  return JSON.parse(readFileSync(file, 'utf8')) as VendorFacts;
}

function merged(own: VendorFacts, more: VendorFacts): VendorFacts {
  const names = new Set(own.endpoints.map(({ name }) => name));
  return {
    ...own,
    sources: { ...own.sources, ...more.sources },
    common: { ...own.common, ...more.common },
    endpoints: [
      ...own.endpoints.map((endpoint) => withMore(endpoint, more)),
      ...more.endpoints.filter(({ name }) => !names.has(name)),
    ],
    types: { ...own.types, ...typesOf(own, more) },
  };
}

function withMore(endpoint: VendorEndpoint, { endpoints }: VendorFacts): VendorEndpoint {
  const more = endpoints.find(({ name }) => name === endpoint.name);
  return more === undefined
    ? endpoint
    : { ...more, ...endpoint, parameters: { ...endpoint.parameters, ...more.parameters } };
}

function typesOf(own: VendorFacts, more: VendorFacts): Readonly<Record<string, VendorField>> {
  return Object.fromEntries(
    Object.entries(more.types).map(([name, type]) => [
      name,
      { ...type, fields: { ...own.types[name]?.fields, ...type.fields } },
    ]),
  );
}

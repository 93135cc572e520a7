import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { KeptSpan } from './kept-spans.ts';

/** A span as it came over the wire, with what its process says of itself. */
export interface CollectedSpan extends KeptSpan {
  readonly resource: KeptSpan['attributes'];
}

/** What takes spans in the place of an OpenTelemetry collector. */
export interface SpanCollector extends AsyncDisposable {
  /** Settings by which a process of Crier sends its spans here, soon after they end. */
  readonly settings: Readonly<Record<string, string>>;
  /** Those that came so far. */
  readonly spans: readonly CollectedSpan[];
  /** From now on requests are taken and never answered. */
  hang(): void;
}

/** Takes OTLP over HTTP, as protobuf. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  let isHanging = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isHanging) return;
    const body = Buffer.concat(chunks);
    spans.push(...spansIn(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    spans,
    hang: () => void (isHanging = true),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The fields of a message of protobuf, by number; groups and packed fields do not occur in spans. */
type Fields = ReadonlyMap<number, readonly Buffer[]>;

const BYTES_OF_FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    const from = at;
    const isNumber = wire === 0;
    const length = isNumber ? (varint(), at - from) : (BYTES_OF_FIXED[wire] ?? varint());
    const value = message.subarray(isNumber ? from : at, isNumber ? at : (at += length));
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const within = (fields: Fields, number: number): readonly Fields[] => (fields.get(number) ?? []).map(fieldsOf);
const textIn = (fields: Fields, number: number): string => fields.get(number)?.[0]?.toString() ?? '';
const hexIn = (fields: Fields, number: number): string => fields.get(number)?.[0]?.toString('hex') ?? '';

/** Texts as they are; of other values, that they are there. */
const attributesIn = (fields: Fields, number: number): KeptSpan['attributes'] =>
  Object.fromEntries(
    within(fields, number).map((attribute) => [
      textIn(attribute, 1),
      within(attribute, 2).map((value) => (value.has(1) ? textIn(value, 1) : null))[0],
    ]),
  );

/** Field numbers as in OpenTelemetry's `trace.proto`. */
function spansIn(request: Buffer): readonly CollectedSpan[] {
  return within(fieldsOf(request), 1).flatMap((ofProcess) => {
    const [resource] = within(ofProcess, 1).map((fields) => attributesIn(fields, 1));
    return within(ofProcess, 2)
      .flatMap((scope) => within(scope, 2))
      .map((span): CollectedSpan => ({
        name: textIn(span, 5),
        traceId: hexIn(span, 1),
        spanId: hexIn(span, 2),
        parentId: hexIn(span, 4) || null,
        links: within(span, 13).map((link) => ({ traceId: hexIn(link, 1), spanId: hexIn(link, 2) })),
        attributes: attributesIn(span, 9),
        resource: resource ?? {},
      }));
  });
}

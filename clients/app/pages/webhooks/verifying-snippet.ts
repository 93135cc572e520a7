/** What a receiver in Node.js runs to know that a delivery is from here. */
export const VERIFYING_SNIPPET = `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the bytes as they came, before anything parsed them. header: Service-Signature.
function isFromCrier(body, header, secret) {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', secret).update(time + '.').update(body).digest();
  return parts.some(([name, hex]) => {
    const sent = Buffer.from(hex ?? '', 'hex');
    return name === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

export { isFromCrier };
`;

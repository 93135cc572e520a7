import assert from 'node:assert/strict';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  bitString,
  boolean,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  tagged,
  taggedString,
  time,
  utf8String,
} from './der.ts';

/** Both PEM: the certificate, and its key as PKCS #8. */
export interface KeyAndCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * A certificate authority of our own, ECDSA on P-256: Node makes keys and signatures but no certificates. Its name
 * constraints allow `names` and names below them only, and IP addresses only where `names` holds them, so that a client
 * that trusts it for these trusts it for nothing else.
 */
export function createAuthority(commonName: string, names: readonly string[], validity: Validity): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = keyIdOf(publicKey);
  const permitted = sequence(tagged(0, ...names.map((name) => sequence(permittedName(name)))));
  const extensions = [
    extension('2.5.29.19', sequence(boolean(true), integer(Buffer.from([0]))), true),
    // keyCertSign and cRLSign, the sixth and seventh of its bits.
    extension('2.5.29.15', bitString(Buffer.from([0b0000_0110]), 1), true),
    extension('2.5.29.14', octetString(own)),
    extension('2.5.29.30', permitted, true),
  ];
  const subject = distinguishedName(commonName);
  return {
    certificate: signed({ subject, issuer: subject, publicKey, validity, extensions }, privateKey),
    key: pemKey(privateKey),
  };
}

/** The purposes that a certificate may be used for, as object identifiers of RFC 5280, 4.2.1.12. */
const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** A certificate for a server with these `names`, which may be IP addresses, or for a client of this name. */
export function issueCertificate(
  authority: KeyAndCertificate,
  names: readonly string[],
  validity: Validity,
  purpose: keyof typeof PURPOSES = 'server',
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuerKey = createPrivateKey(authority.key);
  const issuer = subjectOf(authority.certificate);
  const extensions = [
    extension('2.5.29.19', sequence(), true),
    // digitalSignature, the first bit.
    extension('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7), true),
    extension('2.5.29.37', sequence(objectId(PURPOSES[purpose]))),
    extension('2.5.29.17', sequence(...names.map(generalName))),
    extension('2.5.29.14', octetString(keyIdOf(publicKey))),
    extension('2.5.29.35', sequence(taggedString(0, keyIdOf(createPublicKey(issuerKey))))),
  ];
  return {
    certificate: signed(
      { subject: distinguishedName(names[0] ?? ''), issuer, publicKey, validity, extensions },
      issuerKey,
    ),
    key: pemKey(privateKey),
  };
}

interface Facts {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const VERSION_3 = tagged(0, integer(Buffer.from([2])));
const SERIAL_BYTES = 16;

/** RFC 5280, 4.1: the signed content, the algorithm, the signature. */
function signed({ subject, issuer, publicKey, validity, extensions }: Facts, issuerKey: KeyObject): string {
  const said = sequence(
    VERSION_3,
    integer(randomBytes(SERIAL_BYTES)),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(validity.fromMs), time(validity.untilMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  );
  const whole = sequence(said, ECDSA_WITH_SHA256, bitString(sign('sha256', said, issuerKey)));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, content: Buffer, isCritical = false): Buffer {
  return sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octetString(content));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(objectId('2.5.4.3'), utf8String(commonName))));
}

/**
 * Our certificates have a common name and no other field, so the bytes can be computed again instead of being read from
 * the certificate.
 */
function subjectOf(certificate: string): Buffer {
  const commonName = new X509Certificate(certificate).toLegacyObject().subject.CN;
  assert(typeof commonName === 'string', 'an authority that was made here');
  return distinguishedName(commonName);
}

function generalName(name: string): Buffer {
  return isIP(name) === 0
    ? taggedString(2, Buffer.from(name))
    : taggedString(7, Buffer.from(ipaddr.parse(name).toByteArray()));
}

/** A name constraint holds the mask of an IP address, too. */
function permittedName(name: string): Buffer {
  if (isIP(name) === 0) return taggedString(2, Buffer.from(name));
  const bytes = ipaddr.parse(name).toByteArray();
  return taggedString(7, Buffer.from([...bytes, ...bytes.map(() => 0xff)]));
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function pemKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

import { isIP } from 'node:net';
import { NETWORKS } from '#domain/network.ts';
import { operatorTokensOf } from './operators.ts';
import { isEveryAddress } from './own-addresses.ts';
import { ENGINE_FILES, readEngineFiles, type TlsEngine } from './pem-files.ts';
import { ROLES, SETTINGS, type SettingName } from './settings.ts';
import { smtpAddressOf } from './smtp-url.ts';
import { stripePricesOf } from './stripe-prices.ts';
import { ConfigError, type Config } from './values.ts';

/**
 * What is wrong with settings that are each well written: pairs, formats, what an engine or a Network asks for.
 * `isRead`: what is not read is not missed.
 */
export const problemsOf = (config: Config, isRead: (name: SettingName) => boolean): readonly string[] =>
  [
    engine(config, isRead),
    listeners(config),
    secrets(config),
    operators(config),
    adminNames(config),
    proxies(config),
    egress(config),
    networks(config),
    billing(config),
    mail(config),
    formats(config),
    pairs(config),
    engineTls('kafka', config),
    engineTls('cassandra', config),
    engineTls('admin', config),
  ].flat();

function engine(config: Config, isRead: (name: SettingName) => boolean): readonly string[] {
  if (config.engine === 'embedded')
    return [
      config.roles.length !== ROLES.length &&
        'CRIER_ROLES must be all with CRIER_ENGINE=embedded: its data folder belongs to one process',
      config.s3Bucket !== '' && 'CRIER_S3_BUCKET needs CRIER_ENGINE=cluster: embedded keeps files in CRIER_DATA_DIR',
    ].filter((line) => line !== false);
  const required = ['adminToken', 'secret', 'kafkaBrokers', 'cassandraContactPoints'] as const;
  return required
    .filter((name) => isRead(name) && (config[name] === null || config[name].length === 0))
    .map((name) => `${SETTINGS[name].variable} is missing: CRIER_ENGINE=cluster needs it`);
}

function listeners({ engine, adminHost, adminTlsCert, internalUrl, tlsCert, tlsKey }: Config): readonly string[] {
  return [
    (tlsCert === null) !== (tlsKey === null) && 'CRIER_TLS_CERT and CRIER_TLS_KEY go together: set both or none',
    // Every process would tell the others one address, and take the answers that are meant for them for its own.
    engine === 'cluster' &&
      isEveryAddress(adminHost) &&
      internalUrl === null &&
      `CRIER_INTERNAL_URL is missing: CRIER_ADMIN_HOST=${adminHost} is no address that other processes reach this one at. In a pod set it to http://$(POD_IP):8081`,
    internalUrl !== null &&
      isEveryAddress(new URL(internalUrl).hostname) &&
      `CRIER_INTERNAL_URL is "${internalUrl}": other processes need an address of this machine`,
    // Others would speak HTTP to a listener of HTTPS, and no hint would come through.
    internalUrl !== null &&
      adminTlsCert !== null &&
      new URL(internalUrl).protocol !== 'https:' &&
      `CRIER_INTERNAL_URL is "${internalUrl}": CRIER_ADMIN_TLS_CERT has admin listen for https`,
  ].filter((line) => line !== false);
}

/** Of secrets, so that none can be guessed: sealing keys are derived from the master secret. */
const MIN_CHARACTERS = { adminToken: 16, previousAdminTokens: 16, secret: 32, previousSecrets: 32 } as const;
/**
 * An attacker tries one letter or word first, repeated until it is long enough. Of random secrets fewer than one in ten
 * million has so few different characters.
 */
const MIN_DIFFERENT = 8;
/** How examples begin that were copied and never replaced. */
const PLACEHOLDER =
  /^(?:(?:change|replace|insert|enter)[-_ .]?(?:me|this|it|your|here)|(?:your|example|placeholder|default|todo)[-_ .])/i;

/** Previous ones are accepted where they are weak, while an installation replaces them. */
function secrets(config: Config): readonly string[] {
  return (Object.entries(MIN_CHARACTERS) as [keyof typeof MIN_CHARACTERS, number][]).flatMap(([name, minimum]) => {
    const values = [config[name] ?? []].flat();
    const isShort = values.some((value) => value.length < minimum);
    const isWeak = !name.startsWith('previous') && values.some(isGuessable);
    const inJson =
      values.length > 1 ? '. One with a comma or a line break in it is written in JSON, as in ["ONE","OTHER"]' : '';
    return isShort || isWeak
      ? [
          `${SETTINGS[name].variable} is too ${isShort ? 'short' : 'easy to guess'}: use at least ${minimum} characters, ${MIN_DIFFERENT} of them different${inJson}`,
        ]
      : [];
  });
}

const isGuessable = (value: string): boolean => new Set(value).size < MIN_DIFFERENT || PLACEHOLDER.test(value);

/** Words that hold no token: they are printed and logged. */
function operators({ adminTokens }: Config): readonly string[] {
  const { variable } = SETTINGS.adminTokens;
  const tokens = operatorTokensOf(adminTokens);
  if (typeof tokens === 'string') return [`${variable} ${tokens}`];
  return tokens
    .filter(({ token }) => token.length < MIN_CHARACTERS.adminToken || isGuessable(token))
    .map(
      ({ name }) =>
        `${variable} has a token of ${name} that is too short or easy to guess: use at least ${MIN_CHARACTERS.adminToken} characters, ${MIN_DIFFERENT} of them different`,
    );
}

const proxies = ({ trustedProxies }: Config): readonly string[] =>
  trustedProxies
    .filter((one) => !isRange(one))
    .map(
      (proxy) =>
        `CRIER_TRUSTED_PROXIES has "${proxy}": use addresses or ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal`,
    );

const ENTRY_NAME = /^\.?(?:[a-z\d_-]{1,63}\.)*[a-z\d_-]*[a-z][a-z\d_-]*$/;

const egress = ({ egressAllow, egressDeny, egressProxy }: Config): readonly string[] => {
  const wrong = (variable: string, entries: readonly string[]) =>
    entries
      .filter((entry) => !(isIP(entry.split('/')[0]!) === 0 ? ENTRY_NAME.test(entry) : isRange(entry)))
      .map(
        (entry) =>
          `${variable} has "${entry}": use addresses, ranges such as 203.0.113.0/24, names in lower case, or .example.com`,
      );
  const proxy = egressProxy === null ? null : new URL(egressProxy);
  return [
    ...wrong('CRIER_EGRESS_ALLOW', egressAllow),
    ...wrong('CRIER_EGRESS_DENY', egressDeny),
    ...(proxy !== null && (proxy.username !== '' || proxy.password !== '' || proxy.pathname !== '/')
      ? ['CRIER_EGRESS_PROXY must be http://host:port or https://host:port, without a password or a path']
      : []),
  ];
};

const adminNames = ({ adminNames: names }: Config): readonly string[] =>
  names
    .filter((name) => !URL.canParse(`http://${name}`) || new URL(`http://${name}`).hostname !== name)
    .map((name) => `CRIER_ADMIN_NAMES has "${name}": use names of hosts in lower case, without a port`);

/** An address, an address with a prefix length, or a range that has a name. */
function isRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more.length === 0 &&
    (length === undefined ||
      (/^\d{1,3}$/.test(length) && Number(length) > 0 && Number(length) <= (family === 4 ? 32 : 128)))
  );
}

function networks(config: Config): readonly string[] {
  if (config.networks !== 'live') return [];
  return [
    // An override leads past the guard against private addresses, into the operator's own network.
    config.egressOverrides.length > 0 && 'CRIER_EGRESS_OVERRIDES needs CRIER_NETWORKS=sandbox: leave it out',
    config.demo === true && 'CRIER_DEMO needs CRIER_NETWORKS=sandbox',
    NETWORKS.every((network) => config[`${network}ClientId`] === '') &&
      'CRIER_NETWORKS=live needs the app credentials of a Network, e.g. CRIER_X_CLIENT_ID and CRIER_X_CLIENT_SECRET',
  ].filter((line) => line !== false);
}

function billing({ billing, stripeSecretKey, stripeWebhookSecret, stripePrices }: Config): readonly string[] {
  const given = [
    ['CRIER_STRIPE_SECRET_KEY', stripeSecretKey !== null],
    ['CRIER_STRIPE_WEBHOOK_SECRET', stripeWebhookSecret !== null],
    ['CRIER_STRIPE_PRICES', stripePrices.length > 0],
  ] as const;
  const lines = given.flatMap(([variable, isGiven]) => {
    if (billing === 'stripe') return isGiven ? [] : [`${variable} is missing: CRIER_BILLING=stripe needs it`];
    return isGiven ? [`${variable} needs CRIER_BILLING=stripe`] : [];
  });
  if (stripePricesOf(stripePrices) !== null) return lines;
  return [
    ...lines,
    'CRIER_STRIPE_PRICES must have entries such as pro=price_1,agency=price_2,credits.100=price_3, each Plan, number of credits and price once',
  ];
}

function mail({ smtpUrl, mailFrom }: Config): readonly string[] {
  if (smtpUrl === null) return [];
  return [
    smtpAddressOf(smtpUrl) === null &&
      'CRIER_SMTP_URL is no address of a mail server: write it as in smtps://user:password@mail.example.com:465, with special characters of the password percent-encoded',
    mailFrom === '' && 'CRIER_MAIL_FROM is missing: CRIER_SMTP_URL needs the address that mail comes from',
  ].filter((line) => line !== false);
}

const HOST = String.raw`(?:\[[\da-fA-F:.]+\]|[^\s:/\[\]]+)`;
/** 1 to 65535. */
const PORT = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
const FORMATS = [
  ['kafkaBrokers', new RegExp(`^${HOST}:${PORT}$`), 'use host:port'],
  ['cassandraContactPoints', new RegExp(`^${HOST}(?::${PORT})?$`), 'use host or host:port'],
  ['cassandraKeyspace', /^[a-zA-Z]\w{0,47}$/, 'use at most 48 letters, digits and underscores, a letter first'],
  ['kafkaTopicPrefix', /^[\w.-]{0,100}$/, 'use at most 100 letters, digits, dots, dashes and underscores'],
  ['egressOverrides', new RegExp(`^[\\w-]+(?:\\.[\\w-]+)*=${HOST}:${PORT}$`), 'use name=host:port'],
  ['s3Bucket', /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$/, 'use 3 to 63 lower-case letters, digits, dots and dashes'],
  ['allowedOrigins', /^https?:\/\/[^/?#\s]+$/, 'use an origin such as https://app.example.com'],
  [
    'mailFrom',
    /^$|^[^\s@<>]+@[^\s@<>]+$|^[^<>\p{Cc}]+<[^\s@<>]+@[^\s@<>]+>$/u,
    'use an address such as crier@example.com, or Crier <crier@example.com>',
  ],
  ['graphVersion', /^v\d{1,3}\.\d$/, 'use a version such as v25.0'],
] as const;

/** Formats that an engine would refuse later, without naming the setting. */
const formats = (config: Config): readonly string[] =>
  FORMATS.flatMap(([name, format, fix]) =>
    [config[name]]
      .flat()
      .filter((value) => !format.test(value))
      .map((wrong) => `${SETTINGS[name].variable} has "${wrong}": ${fix}`),
  );

/** A user name or id needs its password or secret, and the other way round. */
function pairs(config: Config): readonly string[] {
  const pairs: readonly (readonly [SettingName, SettingName])[] = [
    ['kafkaUsername', 'kafkaPassword'],
    ['cassandraUsername', 'cassandraPassword'],
    ['s3AccessKeyId', 's3SecretAccessKey'],
    ...NETWORKS.map((network) => [`${network}ClientId`, `${network}ClientSecret`] as const),
  ];
  const lone = pairs
    .filter(([name, secret]) => (config[name] === '') !== (config[secret] === null))
    .map(
      ([name, secret]) => `${SETTINGS[name].variable} and ${SETTINGS[secret].variable} go together: set both or none`,
    );
  return (config.kafkaSaslMechanism === 'none') === (config.kafkaUsername === '')
    ? lone
    : [...lone, 'CRIER_KAFKA_SASL_MECHANISM and CRIER_KAFKA_USERNAME go together: set both or none'];
}

/** Files are looked at last: what they are for must be clear first. */
function engineTls(engine: TlsEngine, config: Config): readonly string[] {
  const [ca, cert, key] = ENGINE_FILES[engine];
  const given = [ca, cert, key].filter((name) => config[name] !== null);
  if (given.length === 0) return [];
  const tls = engine === 'admin' ? null : (`${engine}Tls` as const);
  if (tls !== null && !config[tls])
    return given.map((name) => `${SETTINGS[name].variable} needs ${SETTINGS[tls].variable}=true`);
  if ((config[cert] === null) !== (config[key] === null))
    return [`${SETTINGS[cert].variable} and ${SETTINGS[key].variable} go together: set both or none`];
  try {
    readEngineFiles(engine, config);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

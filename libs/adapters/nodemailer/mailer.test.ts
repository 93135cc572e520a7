import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { createServerIdentity } from '#testing/test-certificates.ts';
import { createMailer, type MailerOptions, type SmtpServer } from './mailer.ts';
import { startSmtpServer, type SmtpBehaviour, type SmtpServerFixture } from './smtp-server.fixture.ts';

const identity = createServerIdentity(['localhost']);
const SIGN_IN = { user: 'crier', password: 'planted-password' };
const MAIL = { to: 'ada@example.com', subject: 'Sign in', text: 'Grüße, a link', html: '<p>Grüße</p>' };

const mailerOf = (port: number, server: Partial<SmtpServer> = {}, more: Partial<MailerOptions> = {}) =>
  createMailer({
    server: { host: 'localhost', port, tls: false, requireStartTls: false, signIn: null, ...server },
    from: 'Crier <crier@example.com>',
    timeoutMs: 15_000,
    ...more,
  });

async function failureOf(work: Promise<unknown>): Promise<PortError> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(PortError);
  return failure as PortError;
}

const sendTo = async (behaviour: SmtpBehaviour, server: Partial<SmtpServer> = {}) => {
  await using smtp = await startSmtpServer(behaviour);
  return await failureOf(mailerOf(smtp.port, server, { timeoutMs: 2_000 }).send(MAIL));
};

test('a mail reaches the server with both forms of its text, to the one address alone', async () => {
  await using smtp = await startSmtpServer();
  await mailerOf(smtp.port).send(MAIL);
  expect(smtp.mails).toEqual([
    { from: 'crier@example.com', to: ['ada@example.com'], content: expect.any(String), isOverTls: false },
  ]);
  const { content } = smtp.mails[0]!;
  expect(content).toContain('From: Crier <crier@example.com>');
  expect(content).toMatch(/text\/plain[^]*text\/html/);
});

test.each(['other,ada@example.com', 'ada@example.com>\r\nRCPT TO:<other@example.com', '<other>ada@example.com'])(
  'an address that hides another one never reaches a second mailbox: %j',
  async (to) => {
    await using smtp: SmtpServerFixture = await startSmtpServer();
    await mailerOf(smtp.port)
      .send({ ...MAIL, to })
      .catch((error: unknown) => expect(error).toBeInstanceOf(PortError));
    for (const mail of smtp.mails) expect(mail.to).toHaveLength(1);
    expect(smtp.mails.flatMap((mail) => mail.to)).not.toContain('other@example.com');
  },
);

test.each([
  ['from the first byte', true],
  ['by STARTTLS', false],
])('over TLS %s it signs in and sends', async (_, tls) => {
  await using smtp = await startSmtpServer({ identity, implicitTls: tls, signIn: SIGN_IN });
  const mailer = mailerOf(smtp.port, { tls, requireStartTls: !tls, signIn: SIGN_IN }, { ca: identity.ca });
  await mailer.check();
  await mailer.send(MAIL);
  expect(smtp.mails.map(({ isOverTls }) => isOverTls)).toEqual([true]);
});

test('where STARTTLS is required, neither password nor mail goes to a server without it', async () => {
  await using smtp = await startSmtpServer({ signIn: SIGN_IN });
  const error = await failureOf(mailerOf(smtp.port, { requireStartTls: true, signIn: SIGN_IN }).send(MAIL));
  expect([error.kind, smtp.mails]).toEqual(['unavailable', []]);
  expect(smtp.commands).not.toContain('AUTH');
});

test('a server whose certificate is not trusted gets nothing', async () => {
  await using smtp = await startSmtpServer({ identity, implicitTls: true, signIn: SIGN_IN });
  const error = await failureOf(mailerOf(smtp.port, { tls: true, signIn: SIGN_IN }).send(MAIL));
  expect([error.kind, smtp.commands]).toEqual(['unavailable', []]);
});

test.each<[string, SmtpBehaviour, PortError['kind']]>([
  ['refuses the recipient for good', { answers: { RCPT: '550 no such mailbox' } }, 'refused'],
  ['asks to try the recipient later', { answers: { RCPT: '451 later' } }, 'unavailable'],
  ['refuses the content', { answers: { CONTENT: '554 spam' } }, 'refused'],
  ['asks to try the content later', { answers: { CONTENT: '452 full' } }, 'unavailable'],
  ['never greets', { answers: { CONNECT: null } }, 'unavailable'],
  ['says nothing once it has the content', { answers: { CONTENT: null } }, 'unknown'],
  ['ends the connection once it has the content', { answers: { CONTENT: 'cut' } }, 'unknown'],
])('of a server that %s the error says what is certain', async (_, behaviour, kind) => {
  expect((await sendTo(behaviour)).kind).toBe(kind);
});

test('where nothing listens the mail was certainly not sent', async () => {
  const { port } = await startSmtpServer().then(async (smtp) => (await smtp[Symbol.asyncDispose](), smtp));
  expect((await failureOf(mailerOf(port).send(MAIL))).kind).toBe('unavailable');
});

test('a wrong password is reported without repeating it', async () => {
  const behaviour = { identity, implicitTls: true, signIn: { ...SIGN_IN, password: 'another' } };
  await using smtp = await startSmtpServer(behaviour);
  const mailer = mailerOf(smtp.port, { tls: true, signIn: SIGN_IN }, { ca: identity.ca });
  const error = await failureOf(mailer.send(MAIL));
  expect([error.kind, error.message]).toEqual(['unavailable', expect.stringMatching(/user and password.*535/)]);
  expect([error.message, String(error.cause)].join()).not.toContain('planted');
});

import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { ServerIdentity } from '#testing/test-certificates.ts';

/** How the server behaves; by default it takes everything, without TLS. */
export interface SmtpBehaviour {
  /** Its STARTTLS, or with `implicitTls` its TLS from the first byte. */
  readonly identity?: ServerIdentity;
  readonly implicitTls?: boolean;
  /** Offers AUTH PLAIN, and accepts this user and password only. */
  readonly signIn?: { readonly user: string; readonly password: string };
  /** Answers to these commands in place of the usual ones; null: none at all; `cut`: the connection ends. */
  readonly answers?: Readonly<Record<string, string | null>>;
  /** Between the content of a mail and the answer to it. */
  readonly takesMs?: number;
  readonly onMail?: (mail: ReceivedMail) => void;
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
  readonly isOverTls: boolean;
}

export interface SmtpServerFixture extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Commands in the order of their arrival, without arguments of AUTH. */
  readonly commands: readonly string[];
}

/** A mail server as RFC 5321 has it, as far as one mail needs it. */
export async function startSmtpServer(behaviour: SmtpBehaviour = {}): Promise<SmtpServerFixture> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const { identity, implicitTls } = behaviour;
    const first = identity !== undefined && implicitTls === true ? secured(socket, identity) : socket;
    converse(first, { behaviour, mails, commands, raw: socket }, first !== socket, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    commands,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function secured(socket: Socket, { certificate, key }: ServerIdentity): TLSSocket {
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext: createSecureContext({ cert: certificate, key }),
  });
  return secure.on('error', () => {});
}

interface Conversation {
  readonly behaviour: SmtpBehaviour;
  readonly mails: ReceivedMail[];
  readonly commands: string[];
  readonly raw: Socket;
}

function converse(socket: Socket, about: Conversation, isOverTls: boolean, greets: boolean): void {
  const { behaviour, mails, commands, raw } = about;
  let heard = '';
  let from = '';
  let to: string[] = [];
  let inContent = false;
  const say = (line: string | null) => {
    if (line === 'cut') raw.destroy();
    else if (line !== null) socket.write(`${line}\r\n`);
  };
  const answer = (command: string, usual: string) => {
    const own = behaviour.answers?.[command];
    say(own === undefined ? usual : own);
  };
  const take = (line: string) => {
    const [verb = '', ...rest] = line.split(' ');
    const command = verb.toUpperCase();
    commands.push(command);
    switch (command) {
      case 'EHLO': {
        const offers = [
          ...(behaviour.identity !== undefined && !isOverTls ? ['STARTTLS'] : []),
          ...(behaviour.signIn === undefined ? [] : ['AUTH PLAIN']),
        ];
        return say(['250-test', ...offers.map((offer) => `250-${offer}`), '250 8BITMIME'].join('\r\n'));
      }
      case 'STARTTLS':
        if (behaviour.identity === undefined) return say('502 not here');
        socket.removeAllListeners('data');
        say('220 go ahead');
        return converse(secured(socket, behaviour.identity), about, true, false);
      case 'AUTH': {
        const [, user, password] = Buffer.from(rest[1] ?? '', 'base64')
          .toString('utf8')
          .split('\0');
        const isRight = user === behaviour.signIn?.user && password === behaviour.signIn?.password;
        return answer('AUTH', isRight ? '235 welcome' : `535 wrong: ${password}`);
      }
      case 'MAIL':
        from = /<([^>]*)>/.exec(line)![1]!;
        return answer('MAIL', '250 ok');
      case 'RCPT':
        to.push(/<([^>]*)>/.exec(line)![1]!);
        return answer('RCPT', '250 ok');
      case 'DATA':
        inContent = true;
        return answer('DATA', '354 go ahead');
      case 'QUIT':
        say('221 bye');
        return void socket.end();
      default:
        return say('502 not here');
    }
  };
  socket.on('data', (data: Buffer) => {
    heard += data.toString('latin1');
    for (;;) {
      const mark = inContent ? '\r\n.\r\n' : '\r\n';
      const end = heard.indexOf(mark);
      if (end < 0) return;
      const part = heard.slice(0, end);
      heard = heard.slice(end + mark.length);
      if (!inContent) take(part);
      else {
        inContent = false;
        const mail = { from, to, content: part, isOverTls };
        mails.push(mail);
        behaviour.onMail?.(mail);
        to = [];
        const taken = () => answer('CONTENT', '250 taken');
        if (behaviour.takesMs === undefined) taken();
        else setTimeout(taken, behaviour.takesMs).unref();
      }
    }
  });
  if (greets) answer('CONNECT', '220 test ESMTP');
}

import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';
import type { CrierServer } from './crier-server.ts';

/**
 * Signs in by the link in the mail, which is read from the sandbox unless the server mails to elsewhere; resolves with
 * the browser that is signed in.
 */
export async function signIn(
  { baseUrl, sandboxUrl }: Pick<CrierServer, 'baseUrl' | 'sandboxUrl'>,
  email: string,
  readMails: (email: string) => Promise<readonly string[]> = (to) => sandboxMails(sandboxUrl, to),
): Promise<TestBrowser> {
  const browser = new TestBrowser(baseUrl);
  const asked = await browser.send(formsOf((await browser.get('/sign-in')).html)[0]!, { email });
  if (asked.status !== 200) throw new Error(`/sign-in answered ${asked.status}: ${asked.html}`);
  const link = await until(async () => linksIn(await readMails(email)).at(-1), { what: `mail to ${email}` });
  const { pathname, search } = new URL(link);
  const signedIn = await browser.send(formsOf((await browser.get(pathname + search)).html)[0]!);
  if (browser.cookies.size === 0) throw new Error(`the link answered ${signedIn.status}: ${signedIn.html}`);
  return browser;
}

const linksIn = (mails: readonly string[]): readonly string[] =>
  mails.flatMap((mail) => /http\S+\/sign-in\/links\/\S+/.exec(mail) ?? []);

async function sandboxMails(sandboxUrl: string, email: string): Promise<readonly string[]> {
  const answer = await fetch(`${sandboxUrl}/sandbox/mail?to=${encodeURIComponent(email)}`);
  const { messages } = (await answer.json()) as { readonly messages: readonly { readonly text: string }[] };
  return messages.map(({ text }) => text);
}

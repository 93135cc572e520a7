import { Agent } from 'undici';
import { formsOf } from '#testing/test-browser.ts';

/** The page on which a person asks for a link to sign in, opened in a browser at an address of its own. */
export interface LinkForm {
  /** The status of the answer. Rejects where there is none. */
  ask(email: string): Promise<number>;
  close(): Promise<void>;
}

const PATH = '/sign-in';

/** `address`: of the loopback, from which it is asked. */
export async function openLinkForm(origin: string, address: string): Promise<LinkForm> {
  const agent = new Agent({ localAddress: address, connections: 1 });
  const page = await agent.request({ origin, path: PATH, method: 'GET' });
  const form = formsOf(await page.body.text())[0];
  if (form === undefined) throw new Error(`${PATH} was answered ${page.statusCode}, without a form`);
  const cookie = [page.headers['set-cookie'] ?? []]
    .flat()
    .map((set) => set.split(';')[0]!)
    .join('; ');
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  return {
    ask: async (email) => {
      const body = new URLSearchParams({ ...form.fields, email }).toString();
      const answer = await agent.request({ origin, path: form.action, method: 'POST', headers, body });
      await answer.body.dump();
      return answer.statusCode;
    },
    close: () => agent.close(),
  };
}

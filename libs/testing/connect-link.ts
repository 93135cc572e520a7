/** Where a browser is after it pressed the button of a page that connects a Channel. */
export interface FollowedLink {
  /** The Network's page for consent. */
  readonly consentUrl: string;
  /** What the browser keeps, as it sends it. */
  readonly cookie: string;
}

/** Opens a link for connecting a Channel as a browser does, and presses the button of its page. */
export async function followConnectLink(connectUrl: string): Promise<FollowedLink> {
  const opened = await fetch(connectUrl, { redirect: 'manual' });
  const page = await opened.text();
  if (opened.status !== 200) throw new Error(`the link was answered ${opened.status}: ${page}`);
  const cookies = cookiesOf(opened);
  const action = new URL(/<form method="post" action="([^"]+)"/.exec(page)![1]!, connectUrl);
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  const body = new URLSearchParams(fields.map(([, name, value]): [string, string] => [name!, value!]));
  const sent = await fetch(action, { method: 'POST', redirect: 'manual', body, headers: { cookie: cookies } });
  const location = sent.headers.get('location');
  if (sent.status !== 303 || location === null) throw new Error(`the button was answered ${sent.status}`);
  return { consentUrl: location, cookie: [cookies, cookiesOf(sent)].filter((one) => one !== '').join('; ') };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ');
}

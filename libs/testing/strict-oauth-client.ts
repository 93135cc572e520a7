import * as oauth from 'oauth4webapi';
import type { ConsentChoice, HeadlessPerson } from './headless-person.ts';

export interface StrictTokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string | undefined;
}

export interface StrictClientOptions {
  readonly baseUrl: string;
  readonly person: HeadlessPerson;
  readonly metadata: Partial<oauth.Client>;
}

export interface Authorization {
  readonly redirectUri: string;
  readonly scope?: string;
  /** All that the tokens are to be for. */
  readonly resources: readonly string[];
  readonly choice?: ConsentChoice;
}

/** Installations under test have no certificate. */
const OPTIONS = { [oauth.allowInsecureRequests]: true };
const AUTH = oauth.None();

/** A public client on a library that refuses every answer which departs from the specifications. */
export class StrictOAuthClient {
  readonly #person: HeadlessPerson;
  readonly #as: oauth.AuthorizationServer;
  readonly #client: oauth.Client;

  private constructor(person: HeadlessPerson, as: oauth.AuthorizationServer, client: oauth.Client) {
    this.#person = person;
    this.#as = as;
    this.#client = client;
  }

  /** Finds the authorization server by the metadata of /mcp, and registers. */
  static async register({ baseUrl, person, metadata }: StrictClientOptions): Promise<StrictOAuthClient> {
    const resource = new URL(`${baseUrl}/mcp`);
    const found = await oauth.resourceDiscoveryRequest(resource, OPTIONS);
    const { authorization_servers: [issuer] = [] } = await oauth.processResourceDiscoveryResponse(resource, found);
    const discovered = await oauth.discoveryRequest(new URL(issuer!), { ...OPTIONS, algorithm: 'oauth2' });
    const as = await oauth.processDiscoveryResponse(new URL(issuer!), discovered);
    const sent = { token_endpoint_auth_method: 'none', ...metadata };
    const registered = await oauth.dynamicClientRegistrationRequest(as, sent, OPTIONS);
    return new StrictOAuthClient(person, as, await oauth.processDynamicClientRegistrationResponse(registered));
  }

  /** Has the person approve it, and redeems the code. `resource`: what the first token is for. */
  async tokens(asked: Authorization, resource?: string): Promise<StrictTokens & { readonly callback: URL }> {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(this.#as.authorization_endpoint!);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: this.#client.client_id,
      redirect_uri: asked.redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(asked.scope !== undefined && { scope: asked.scope }),
    }).toString();
    for (const each of asked.resources) url.searchParams.append('resource', each);
    const callback = await this.#person.follow(url, asked.choice);
    const answer = oauth.validateAuthResponse(this.#as, this.#client, callback, state);
    const options = { ...OPTIONS, ...(resource !== undefined && { additionalParameters: { resource } }) };
    const response = await oauth.authorizationCodeGrantRequest(
      this.#as,
      this.#client,
      AUTH,
      answer,
      asked.redirectUri,
      verifier,
      options,
    );
    return { ...tokensOf(await oauth.processAuthorizationCodeResponse(this.#as, this.#client, response)), callback };
  }

  /** Rejects with the library's error where the server refuses. */
  async refresh(token: string, resource?: string): Promise<StrictTokens> {
    const options = { ...OPTIONS, ...(resource !== undefined && { additionalParameters: { resource } }) };
    const response = await oauth.refreshTokenGrantRequest(this.#as, this.#client, AUTH, token, options);
    return tokensOf(await oauth.processRefreshTokenResponse(this.#as, this.#client, response));
  }

  async revoke(token: string): Promise<void> {
    const response = await oauth.revocationRequest(this.#as, this.#client, AUTH, token, OPTIONS);
    await oauth.processRevocationResponse(response);
  }
}

function tokensOf({ access_token, refresh_token, scope }: oauth.TokenEndpointResponse): StrictTokens {
  return { access: access_token, refresh: refresh_token!, scope };
}

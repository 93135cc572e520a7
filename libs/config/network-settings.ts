import { factsOf, NETWORKS, type Network } from '#domain/network.ts';
import { choice, secret, text } from './setting.ts';

/** What a Network needs beside the id and secret of its app. */
const OWN_SETTINGS = {
  facebook: {
    facebookConfigId: text(
      'CRIER_FACEBOOK_CONFIG_ID',
      '',
      'The configuration of Facebook Login for Business, for an app of the kind Business',
    ),
  },
  tiktok: {
    tiktokScopes: text(
      'CRIER_TIKTOK_SCOPES',
      '',
      'The scopes that the app at tiktok was given, separated by commas, where it lacks some of those that Crier asks for',
    ),
  },
  instagram: {
    instagramConfigId: text(
      'CRIER_INSTAGRAM_CONFIG_ID',
      '',
      'As CRIER_FACEBOOK_CONFIG_ID, for signing in to instagram with CRIER_INSTAGRAM_LOGIN=facebook',
    ),
    instagramLogin: choice(
      'CRIER_INSTAGRAM_LOGIN',
      ['instagram', 'facebook'],
      'instagram',
      'How people sign in to instagram: `facebook` needs a Page, and the id and secret of the app at Facebook',
    ),
    instagramScopes: text(
      'CRIER_INSTAGRAM_SCOPES',
      '',
      'The permissions that the app at instagram has, separated by commas, where it lacks some of those that Crier asks for',
    ),
  },
} as const satisfies Readonly<Partial<Record<Network, object>>>;

type NetworkSettings = Readonly<
  Record<`${Network}ClientId`, ReturnType<typeof text>> & Record<`${Network}ClientSecret`, ReturnType<typeof secret>>
> &
  (typeof OWN_SETTINGS)['facebook'] &
  (typeof OWN_SETTINGS)['tiktok'] &
  (typeof OWN_SETTINGS)['instagram'];

/** The app's id and secret of every Network, each followed by the settings that only this Network has. */
export const networkSettings = Object.assign({}, ...NETWORKS.map(settingsOf)) as NetworkSettings;

function settingsOf(network: Network): object {
  const app = `CRIER_${network.toUpperCase()}_CLIENT`;
  return {
    [`${network}ClientId`]: text(`${app}_ID`, '', `${factsOf(network).clientIdIs}, for CRIER_NETWORKS=live`),
    [`${network}ClientSecret`]: secret(`${app}_SECRET`, `Goes with ${app}_ID`),
    ...(Object.hasOwn(OWN_SETTINGS, network) && OWN_SETTINGS[network as keyof typeof OWN_SETTINGS]),
  };
}

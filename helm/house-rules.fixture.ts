import { containersOf, podsOf, type KubernetesObject } from './helm.fixture.ts';

/** What every rendering keeps, whatever the values: each breach as one line that begins with the object. */
export function breachesOf(objects: readonly KubernetesObject[]): readonly string[] {
  return [
    ...objects.flatMap((object) =>
      breachesOfObject(object).map((words) => `${object.kind} ${nameOf(object)} ${words}`),
    ),
    ...podsOf(objects).flatMap(([name, pod]) => breachesOfPod(pod).map((words) => `pod of ${name} ${words}`)),
  ];
}

/** The user of every process, which the image's files belong to. */
const USER = 65_532;

function breachesOfPod(pod: any): readonly string[] {
  const rules: readonly (readonly [holds: boolean, words: string])[] = [
    [pod.enableServiceLinks === false, 'gets variables of Services: CRIER_PORT would be tcp://...'],
    [pod.automountServiceAccountToken === false, 'gets a token of Kubernetes'],
    [pod.securityContext?.runAsNonRoot === true, 'may run as root'],
    [pod.securityContext?.runAsUser === USER, `runs as user ${pod.securityContext?.runAsUser}`],
    [pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
    [pod.hostNetwork !== true && pod.hostPID !== true && pod.hostIPC !== true, 'shares the host'],
  ];
  const ofContainers = containersOf(pod).flatMap((container) =>
    breachesOfContainer(container).map((words) => `${words} (container ${container.name})`),
  );
  return [...rules.flatMap(([holds, words]) => (holds ? [] : [words])), ...ofContainers];
}

/** Without a registry it is one that the machines have, or find where they look by default. */
const IMAGE = /^([\w.-]+(:\d+)?\/)?[\w./-]+:(?<tag>[\w.-]+)(@sha256:[a-f0-9]{64})?$/;
const CREDENTIAL = /SECRET|PASSWORD|TOKEN|ACCESS_KEY|_KEY_ID|SMTP_URL|CLIENT_ID/;

function breachesOfContainer({ image, securityContext, env, ...container }: any): readonly string[] {
  const tag = IMAGE.exec(image)?.groups?.['tag'];
  const written = (env ?? []).filter(
    ({ name, value }: { name: string; value?: string }) => CREDENTIAL.test(name) && value !== undefined,
  );
  const rules: readonly (readonly [holds: boolean, words: string])[] = [
    [tag !== undefined && tag !== 'latest', `runs ${image}, which is no release`],
    [securityContext?.readOnlyRootFilesystem === true, 'writes its root'],
    [securityContext?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [JSON.stringify(securityContext?.capabilities) === '{"drop":["ALL"]}', 'has capabilities'],
    [securityContext?.privileged !== true, 'is privileged'],
    [container.resources?.requests !== undefined, 'requests no resources'],
    [written.length === 0, `has a credential in clear: ${written.map(({ name }: { name: string }) => name).join()}`],
  ];
  return rules.flatMap(([holds, words]) => (holds ? [] : [words]));
}

const SECRET_KEY = /secret|password|passwd|token|credential|private/i;
/** Keys of PEM, tokens of GitHub and Slack, keys of Amazon and of Stripe, and addresses with a password. */
const SECRET_VALUE =
  /-----BEGIN [A-Z ]*PRIVATE KEY|\bgh[pousr]_\w{20}|\bxox[bp]-\w{10}|\bAKIA[0-9A-Z]{16}\b|\b[rs]k_live_\w{10}|:\/\/[^/\s:@"]+:[^/\s@$"]+@/;

function breachesOfObject({ kind, data, ...object }: KubernetesObject): readonly string[] {
  // The chart names Secrets that are there; users may add some by extraObjects.
  if (kind === 'Secret') return ['is made by the chart'];
  const keys = Object.keys(data ?? {}).filter((key) => kind === 'ConfigMap' && SECRET_KEY.test(key));
  const text = JSON.stringify([data, object.spec]);
  return [
    ...keys.map((key) => `holds ${key}, which belongs into a Secret`),
    ...(SECRET_VALUE.test(text) ? [`holds a credential: ${SECRET_VALUE.exec(text)![0].slice(0, 16)}...`] : []),
  ];
}

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name;

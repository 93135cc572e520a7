/** A folder of the machine that a container sees somewhere. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly readOnly: boolean;
}

export interface RootPlan {
  /** An empty folder, on which the root is mounted. */
  readonly root: string;
  readonly mounts: readonly Mount[];
  readonly readOnlyRoot: boolean;
  readonly user: number;
  readonly group: number;
  readonly supplementaryGroups: readonly number[];
  readonly noNewPrivileges: boolean;
  readonly noCapabilities: boolean;
  readonly hostname: string;
  readonly resolver: string;
  /** The folder of a control group, which the process enters. Null: none can be had. */
  readonly controlGroup: string | null;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const FROM_ETC = ['passwd', 'group', 'nsswitch.conf', 'ld.so.cache', 'ssl'];

/**
 * A script for bash, as root in namespaces of its own (mounts, processes, network), that becomes the command of a
 * container: it makes a root of the machine's `/usr`, the mounts and nothing else, enters it, and gives up everything
 * that the pod does not ask for.
 */
export function rootScript(plan: RootPlan): string {
  const { root } = plan;
  const target = (path: string): string => quote(`${root}${path}`);
  const bind = (from: string, at: string, how = 'bind,ro'): string => `mount -o ${how} ${quote(from)} ${target(at)}`;
  const lines = [
    'set -e',
    ...(plan.controlGroup === null ? [] : [`echo 0 > ${quote(`${plan.controlGroup}/cgroup.procs`)}`]),
    'mount --make-rprivate /',
    `mount -t tmpfs -o mode=755 tmpfs ${quote(root)}`,
    `mkdir -p ${['/usr', '/etc', '/dev', '/proc', '/sys', '/tmp', '/var/tmp'].map(target).join(' ')}`,
    `chmod 1777 ${target('/tmp')} ${target('/var/tmp')}`,
    ...['bin', 'sbin', 'lib', 'lib64'].map((name) => `ln -s usr/${name} ${target(`/${name}`)}`),
    bind('/usr', '/usr'),
    ...FROM_ETC.map((name) => `cp -a /etc/${name} ${target('/etc/')}`),
    `printf %s ${quote(plan.resolver)} > ${target('/etc/resolv.conf')}`,
    `printf '127.0.0.1 localhost\\n' > ${target('/etc/hosts')}`,
    `printf %s ${quote(plan.hostname)} > ${target('/etc/hostname')}`,
    `hostname ${quote(plan.hostname)}`,
    ...DEVICES.flatMap((name) => [`touch ${target(`/dev/${name}`)}`, bind(`/dev/${name}`, `/dev/${name}`, 'bind')]),
    `mount -t proc proc ${target('/proc')}`,
    `mount --rbind /sys ${target('/sys')}`,
    ...plan.mounts.flatMap(({ from, at, readOnly }) => [
      `mkdir -p ${target(at)}`,
      bind(from, at, readOnly ? 'bind,ro' : 'bind'),
    ]),
    ...(plan.readOnlyRoot ? [`mount -o remount,ro ${quote(root)}`] : []),
  ];
  const groups = plan.supplementaryGroups.length === 0 ? ['--clear-groups'] : [`--groups=${plan.supplementaryGroups}`];
  const less = [
    ...(plan.noNewPrivileges ? ['--no-new-privs'] : []),
    ...(plan.noCapabilities ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []),
  ];
  // Giving up root would end this tie to the process that waits for it, which `unshare --kill-child` has made.
  const become = [
    'setpriv',
    '--pdeathsig=SIGKILL',
    `--reuid=${plan.user}`,
    `--regid=${plan.group}`,
    ...groups,
    ...less,
    '--',
  ];
  const variables = Object.entries(plan.env).map(([name, value]) => `${name}=${value}`);
  const words = ['chroot', root, ...become, 'env', '-i', '-C', plan.workingDirectory, ...variables, ...plan.command];
  return [...lines, `exec ${words.map(quote).join(' ')}`].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The versions of Kubernetes that the rendered chart is held against: the oldest that Chart.yaml takes, one between,
 * and the newest. Their schemas are in the sources of Kubernetes, which are a module of Go.
 */
export const KUBERNETES_VERSIONS: readonly { readonly version: string; readonly module: string }[] = [
  { version: '1.28', module: 'k8s.io/kubernetes@v1.28.15' },
  { version: '1.33', module: 'k8s.io/kubernetes@v1.33.5' },
  { version: '1.36', module: 'k8s.io/kubernetes@v1.36.3' },
];

/** Kinds of others that the chart or an example makes: the modules that define them, and the files in these. */
export const DEFINITIONS: readonly { readonly module: string; readonly files: readonly string[] }[] = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['podmonitors', 'prometheusrules'].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
  { module: 'github.com/kedacore/keda/v2@v2.21.0', files: ['config/crd/bases/keda.sh_scaledobjects.yaml'] },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    files: ['config/crds/bases/external-secrets.io_externalsecrets.yaml'],
  },
  { module: 'github.com/argoproj/argo-cd/v3@v3.2.0', files: ['manifests/crds/application-crd.yaml'] },
];

/** Where write-schemas.ts puts them, from the root: a folder for each version, and `definitions`. */
export const SCHEMAS_FOLDER = '.cache/tools/kubernetes';

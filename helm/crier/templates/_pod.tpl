{{/*
dict root, component, engine, roles, publishes, values, image, dataVolume, extraLabels: the template of a pod, for
Deployments and the StatefulSet alike.
*/}}
{{- define "crier.pod" -}}
{{- $v := .root.Values -}}
{{- $w := .values -}}
{{- $isDoor := has .component (list "ingress" "single") -}}
metadata:
  labels:
    {{- include "crier.labels" (dict "root" .root "component" .component "labels" $w.podLabels) | nindent 4 }}
  {{- with mergeOverwrite (deepCopy $v.commonAnnotations) ($w.podAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Kubernetes would put CRIER_PORT=tcp://... into every pod for a Service named crier, and the start would end.
  enableServiceLinks: false
  automountServiceAccountToken: false
  serviceAccountName: {{ include "crier.serviceAccount" .root | quote }}
  terminationGracePeriodSeconds: {{ include "crier.grace" $w }}
  securityContext:
    {{- toYaml $v.podSecurityContext | nindent 4 }}
  {{- with $v.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $w.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- include "crier.nodes" $w | nindent 2 }}
  {{- with $w.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and (eq .engine "cluster") $w.topologySpread }}
  topologySpreadConstraints:
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "crier.selector" $.root | nindent 10 }}
          app.kubernetes.io/component: {{ $.component }}
    {{- end }}
  {{- end }}
  containers:
    - name: crier
      image: {{ include "crier.image" (dict "root" .root "image" .image) }}
      imagePullPolicy: {{ .image.pullPolicy }}
      args: [start]
      securityContext:
        {{- toYaml $v.containerSecurityContext | nindent 8 }}
      env:
        {{- include "crier.env" . | nindent 8 }}
      {{- with $w.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- if $isDoor }}
        - { name: http, containerPort: 8080, protocol: TCP }
        {{- end }}
        - { name: admin, containerPort: 8081, protocol: TCP }
        {{- if eq .component "sandbox" }}
        - { name: sandbox, containerPort: 8090, protocol: TCP }
        {{- end }}
      # Live, not ready: Kafka or Cassandra may be away for hours, and a restart brings neither back.
      startupProbe:
        httpGet: { path: /health/live, port: admin }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: {{ max 1 (div (int $w.startupSeconds) 5) }}
      livenessProbe:
        httpGet: { path: /health/live, port: admin }
        periodSeconds: 20
        timeoutSeconds: 10
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: admin }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      resources:
        {{- toYaml $w.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if eq .engine "cluster" }}
        {{- include "crier.tlsMounts" .root | nindent 8 }}
        {{- end }}
        {{- with $w.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 1Gi }
    {{- if .dataVolume }}
    {{- toYaml .dataVolume | nindent 4 }}
    {{- end }}
    {{- if eq .engine "cluster" }}
    {{- include "crier.tlsVolumes" .root | nindent 4 }}
    {{- end }}
    {{- with $w.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* dict name, value: a variable, left out where the value is empty. */}}
{{- define "crier.var" -}}
{{- $value := .value -}}
{{- if kindIs "float64" $value }}{{ $value = $value | int64 }}{{ end -}}
{{- if kindIs "slice" $value }}{{ $value = join "," $value }}{{ end -}}
{{- if ne (toString $value) "" }}
- name: {{ .name }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end -}}

{{/* dict name, secret, key: left out where the Secret or the key is not named. */}}
{{- define "crier.secretVar" -}}
{{- if and .secret .key }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret | quote }}
      key: {{ .key | quote }}
{{- end }}
{{- end -}}

{{/*
dict root, engine, roles, publishes, values: what every process is told. POD_IP stands first, as Kubernetes puts a
variable into those behind it only.
*/}}
{{- define "crier.env" -}}
{{- $v := .root.Values -}}
{{- $isCluster := eq .engine "cluster" -}}
{{- $isSix := eq $v.ipFamily "IPv6" -}}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- include "crier.var" (dict "name" "CRIER_ENGINE" "value" .engine) }}
{{- include "crier.var" (dict "name" "CRIER_ROLES" "value" .roles) }}
{{- include "crier.var" (dict "name" "CRIER_PUBLISH_NETWORKS" "value" (.publishes | default "")) }}
{{- include "crier.var" (dict "name" "CRIER_DATA_DIR" "value" "/data") }}
{{- include "crier.var" (dict "name" "CRIER_HOST" "value" (ternary "::" "0.0.0.0" $isSix)) }}
{{- include "crier.var" (dict "name" "CRIER_ADMIN_HOST" "value" (ternary "::" "0.0.0.0" $isSix)) }}
{{- include "crier.var" (dict "name" "CRIER_INTERNAL_URL" "value" (ternary "http://[$(POD_IP)]:8081" "http://$(POD_IP):8081" $isSix)) }}
{{- $admin := printf "%s-admin" (include "crier.fullname" .root) }}
{{- $inside := printf "%s.%s" $admin .root.Release.Namespace }}
{{- include "crier.var" (dict "name" "CRIER_ADMIN_NAMES" "value" (printf "%s,%s,%s.svc,%s.svc.cluster.local" $admin $inside $inside $inside)) }}
{{- include "crier.var" (dict "name" "CRIER_DRAIN_DELAY_SECONDS" "value" .values.drainDelaySeconds) }}
{{- include "crier.var" (dict "name" "CRIER_DRAIN_SECONDS" "value" .values.drainSeconds) }}
{{- include "crier.var" (dict "name" "CRIER_PUBLIC_URL" "value" (include "crier.publicUrl" .root)) }}
{{- include "crier.var" (dict "name" "CRIER_MEDIA_URL" "value" $v.mediaUrl) }}
{{- include "crier.var" (dict "name" "CRIER_TRUSTED_PROXIES" "value" $v.trustedProxies) }}
{{- include "crier.var" (dict "name" "CRIER_LOG_LEVEL" "value" $v.logLevel) }}
{{- include "crier.var" (dict "name" "CRIER_ACCESS_LOG" "value" $v.accessLog) }}
{{- $keys := $v.secrets }}
{{- range $variable, $key := dict "CRIER_SECRET" $keys.secretKey "CRIER_ADMIN_TOKEN" $keys.adminTokenKey "CRIER_PREVIOUS_SECRETS" $keys.previousSecretsKey "CRIER_PREVIOUS_ADMIN_TOKENS" $keys.previousAdminTokensKey "CRIER_ADMIN_TOKENS" $keys.adminTokensKey }}
{{- include "crier.secretVar" (dict "name" $variable "secret" $keys.existingSecret "key" $key) }}
{{- end }}
{{- if $isCluster }}
{{- include "crier.engineEnv" .root }}
{{- end }}
{{- include "crier.networksEnv" (dict "root" .root "engine" .engine "roles" .roles) }}
{{- include "crier.var" (dict "name" "CRIER_MAIL_FROM" "value" (ternary $v.mail.from "" (ne $v.mail.existingSecret ""))) }}
{{- include "crier.secretVar" (dict "name" "CRIER_SMTP_URL" "secret" $v.mail.existingSecret "key" $v.mail.urlKey) }}
{{- include "crier.var" (dict "name" "CRIER_BILLING" "value" $v.billing.mode) }}
{{- include "crier.var" (dict "name" "CRIER_STRIPE_PRICES" "value" $v.billing.prices) }}
{{- include "crier.secretVar" (dict "name" "CRIER_STRIPE_SECRET_KEY" "secret" $v.billing.existingSecret "key" $v.billing.secretKeyKey) }}
{{- include "crier.secretVar" (dict "name" "CRIER_STRIPE_WEBHOOK_SECRET" "secret" $v.billing.existingSecret "key" $v.billing.webhookSecretKey) }}
{{- range $variable, $value := mergeOverwrite (deepCopy $v.settings) (.values.settings | default dict) }}
{{- include "crier.var" (dict "name" $variable "value" $value) }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* How Kafka, Cassandra and the store of files are reached. Migrate needs no more than this and the secret. */}}
{{- define "crier.engineEnv" -}}
{{- $v := .Values -}}
{{- include "crier.var" (dict "name" "CRIER_KAFKA_BROKERS" "value" $v.kafka.brokers) }}
{{- include "crier.var" (dict "name" "CRIER_KAFKA_TOPIC_PREFIX" "value" $v.kafka.topicPrefix) }}
{{- include "crier.var" (dict "name" "CRIER_KAFKA_REPLICATION" "value" $v.kafka.replication) }}
{{- include "crier.tlsEnv" (dict "engine" "kafka" "tls" $v.kafka.tls) }}
{{- if ne $v.kafka.sasl.mechanism "none" }}
{{- include "crier.var" (dict "name" "CRIER_KAFKA_SASL_MECHANISM" "value" $v.kafka.sasl.mechanism) }}
{{- if $v.kafka.sasl.username }}
{{- include "crier.var" (dict "name" "CRIER_KAFKA_USERNAME" "value" $v.kafka.sasl.username) }}
{{- else }}
{{- include "crier.secretVar" (dict "name" "CRIER_KAFKA_USERNAME" "secret" $v.kafka.sasl.existingSecret "key" $v.kafka.sasl.usernameKey) }}
{{- end }}
{{- include "crier.secretVar" (dict "name" "CRIER_KAFKA_PASSWORD" "secret" $v.kafka.sasl.existingSecret "key" $v.kafka.sasl.passwordKey) }}
{{- end }}
{{- include "crier.var" (dict "name" "CRIER_SCHEMA_REGISTRY_URL" "value" $v.schemaRegistryUrl) }}
{{- include "crier.var" (dict "name" "CRIER_CASSANDRA_CONTACT_POINTS" "value" $v.cassandra.contactPoints) }}
{{- include "crier.var" (dict "name" "CRIER_CASSANDRA_DATACENTER" "value" $v.cassandra.datacenter) }}
{{- include "crier.var" (dict "name" "CRIER_CASSANDRA_KEYSPACE" "value" $v.cassandra.keyspace) }}
{{- include "crier.var" (dict "name" "CRIER_CASSANDRA_REPLICATION" "value" $v.cassandra.replication) }}
{{- include "crier.tlsEnv" (dict "engine" "cassandra" "tls" $v.cassandra.tls) }}
{{- include "crier.secretVar" (dict "name" "CRIER_CASSANDRA_USERNAME" "secret" $v.cassandra.auth.existingSecret "key" $v.cassandra.auth.usernameKey) }}
{{- include "crier.secretVar" (dict "name" "CRIER_CASSANDRA_PASSWORD" "secret" $v.cassandra.auth.existingSecret "key" $v.cassandra.auth.passwordKey) }}
{{- with $v.objectStore }}
{{- include "crier.var" (dict "name" "CRIER_S3_BUCKET" "value" .bucket) }}
{{- include "crier.var" (dict "name" "CRIER_S3_ENDPOINT" "value" .endpoint) }}
{{- include "crier.var" (dict "name" "CRIER_S3_REGION" "value" .region) }}
{{- include "crier.var" (dict "name" "CRIER_S3_PATH_STYLE" "value" .pathStyle) }}
{{- include "crier.secretVar" (dict "name" "CRIER_S3_ACCESS_KEY_ID" "secret" .existingSecret "key" .accessKeyIdKey) }}
{{- include "crier.secretVar" (dict "name" "CRIER_S3_SECRET_ACCESS_KEY" "secret" .existingSecret "key" .secretAccessKeyKey) }}
{{- end }}
{{- end -}}

{{- define "crier.tlsEnv" -}}
{{- if .tls.enabled }}
{{- $prefix := printf "CRIER_%s" (upper .engine) -}}
{{- include "crier.var" (dict "name" (printf "%s_TLS" $prefix) "value" true) }}
{{- if .tls.caSecret }}
{{- include "crier.var" (dict "name" (printf "%s_CA" $prefix) "value" (printf "/etc/crier/%s-ca/%s" .engine .tls.caKey)) }}
{{- end }}
{{- if .tls.certificateSecret }}
{{- include "crier.var" (dict "name" (printf "%s_CERT" $prefix) "value" (printf "/etc/crier/%s-client/%s" .engine .tls.certificateKey)) }}
{{- include "crier.var" (dict "name" (printf "%s_KEY" $prefix) "value" (printf "/etc/crier/%s-client/%s" .engine .tls.privateKeyKey)) }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "crier.networksEnv" -}}
{{- $v := .root.Values -}}
{{- include "crier.var" (dict "name" "CRIER_NETWORKS" "value" $v.networks.mode) }}
{{- if has .roles (list "publisher" "all") }}
{{- $atOnce := list }}
{{- range $network := list "facebook" "instagram" "tiktok" "youtube" "x" "threads" }}
{{- $atOnce = append $atOnce (printf "%s=%d" $network (int (index $v.networks $network).atOnce)) }}
{{- end }}
{{- include "crier.var" (dict "name" "CRIER_NETWORK_AT_ONCE" "value" $atOnce) }}
{{- end }}
{{- if eq $v.networks.mode "live" }}
{{- range $network := list "facebook" "instagram" "tiktok" "youtube" "x" "threads" }}
{{- $app := index $v.networks $network }}
{{- include "crier.secretVar" (dict "name" (printf "CRIER_%s_CLIENT_ID" (upper $network)) "secret" $app.existingSecret "key" $app.clientIdKey) }}
{{- include "crier.secretVar" (dict "name" (printf "CRIER_%s_CLIENT_SECRET" (upper $network)) "secret" $app.existingSecret "key" $app.clientSecretKey) }}
{{- end }}
{{- else if eq .engine "cluster" }}
{{- include "crier.var" (dict "name" "CRIER_SANDBOX_HOST" "value" (ternary (ternary "::" "0.0.0.0" (eq $v.ipFamily "IPv6")) "" (eq .roles "sandbox"))) }}
{{- include "crier.var" (dict "name" "CRIER_SANDBOX_URL" "value" (printf "http://%s-sandbox:8090" (include "crier.fullname" .root))) }}
{{- include "crier.var" (dict "name" "CRIER_SANDBOX_FILES_URL" "value" (ternary (printf "http://%s:%v" (include "crier.fullname" .root) $v.service.port) "" (eq .roles "sandbox"))) }}
{{- end }}
{{- end -}}

{{/* Certificates as files, from which processes read them again when they are renewed. */}}
{{- define "crier.tlsMounts" -}}
{{- range $engine := list "kafka" "cassandra" }}
{{- $tls := (index $.Values $engine).tls }}
{{- if and $tls.enabled $tls.caSecret }}
- { name: {{ $engine }}-ca, mountPath: /etc/crier/{{ $engine }}-ca, readOnly: true }
{{- end }}
{{- if and $tls.enabled $tls.certificateSecret }}
- { name: {{ $engine }}-client, mountPath: /etc/crier/{{ $engine }}-client, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}

{{- define "crier.tlsVolumes" -}}
{{- range $engine := list "kafka" "cassandra" }}
{{- $tls := (index $.Values $engine).tls }}
{{- if and $tls.enabled $tls.caSecret }}
- name: {{ $engine }}-ca
  secret: { secretName: {{ $tls.caSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- if and $tls.enabled $tls.certificateSecret }}
- name: {{ $engine }}-client
  secret: { secretName: {{ $tls.certificateSecret | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- end -}}

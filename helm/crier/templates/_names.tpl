{{- define "crier.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "crier.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "crier.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "crier.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What never changes in the life of a release: selectors are made of it. */}}
{{- define "crier.selector" -}}
app.kubernetes.io/name: {{ include "crier.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* dict root, component, labels: no label twice. Those of the object alone win over commonLabels, the chart's own over both. */}}
{{- define "crier.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" -}}
{{- $own := dict "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/part-of" "crier" "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" $chart -}}
{{- $component := ternary (dict "app.kubernetes.io/component" .component) dict (not (empty .component)) -}}
{{- toYaml (mergeOverwrite (deepCopy .root.Values.commonLabels) (.labels | default dict) $own $component (include "crier.selector" .root | fromYaml)) -}}
{{- end -}}

{{/* dict root, name, component, labels, annotations: the metadata of an object. */}}
{{- define "crier.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "crier.labels" . | nindent 2 }}
{{- with mergeOverwrite (deepCopy (.root.Values.commonAnnotations | default dict)) (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* dict root, image: where a digest is given, it says what runs; the tag stays beside it for people. */}}
{{- define "crier.image" -}}
{{- $tag := .image.tag | default .root.Chart.AppVersion -}}
{{- with (.image.registry | default .root.Values.imageRegistry) }}{{ . }}/{{ end }}{{ .image.repository }}:{{ $tag }}{{ with .image.digest }}@{{ . }}{{ end }}
{{- end -}}

{{- define "crier.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "crier.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "crier.publicUrl" -}}
{{- .Values.publicUrl | default "http://localhost:8080" | trimSuffix "/" -}}
{{- end -}}

{{- define "crier.publicHost" -}}
{{- (urlParse (include "crier.publicUrl" .)).hostname -}}
{{- end -}}

{{/* The host of mediaUrl where that is a name and not the one of publicUrl: no route of publicUrl has it. Else empty. */}}
{{- define "crier.mediaHost" -}}
{{- $host := (urlParse (.Values.mediaUrl | default "")).hostname | lower -}}
{{- $isName := and (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$" $host) (not (regexMatch "^[0-9.]+$" $host)) -}}
{{- if and $isName (ne $host (include "crier.publicHost" . | lower)) }}{{ $host }}{{ end -}}
{{- end -}}

{{/* The values of a process by which its pods find nodes; for pods that are there beside it, too. */}}
{{- define "crier.nodes" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The component whose pods answer clients. */}}
{{- define "crier.door" -}}
{{- if eq .Values.mode "single" }}single{{ else }}ingress{{ end -}}
{{- end -}}

{{/*
The Deployments of mode cluster, as JSON: component, roles, what it publishes, its values over the defaults, and how many
replicas can have work, which is the number of partitions.
*/}}
{{- define "crier.workloads" -}}
{{- $defaults := .Values.defaults -}}
{{- $most := dict "workspace" 64 "scheduler" 64 "webhooks" 64 "media" 16 "sandbox" 1 -}}
{{- $list := list -}}
{{- range $role := list "ingress" "workspace" "scheduler" "webhooks" "media" "admin" "sandbox" -}}
{{- if or (ne $role "sandbox") (eq $.Values.networks.mode "sandbox") -}}
{{- $values := mergeOverwrite (deepCopy $defaults) (index $.Values.roles $role | default dict) -}}
{{- $roles := ternary "ingress,app" $role (eq $role "ingress") -}}
{{- $list = append $list (dict "component" $role "path" (printf "roles.%s" $role) "roles" $roles "publishes" "" "values" $values "most" (get $most $role | default 200)) -}}
{{- end -}}
{{- end -}}
{{- range .Values.publishers -}}
{{- $values := mergeOverwrite (deepCopy $defaults) (omit . "name" "publishes") -}}
{{- $list = append $list (dict "component" (printf "publisher-%s" .name) "path" (printf "publishers, %s" .name) "roles" "publisher" "publishes" (join "," .publishes) "values" $values "most" 16) -}}
{{- end -}}
{{- $list | toJson -}}
{{- end -}}

{{/* Seconds from the order to end until the kill, worked out so that it is never shorter than what the process needs. */}}
{{- define "crier.grace" -}}
{{- $needed := add (int .drainDelaySeconds) (int .drainSeconds) 5 -}}
{{- .terminationGracePeriodSeconds | default $needed -}}
{{- end -}}

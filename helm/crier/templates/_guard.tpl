{{/* What the schema can not say: every problem at once, each with its fix. Rendering ends with them. */}}
{{- define "crier.guard" -}}
{{- $v := .Values -}}
{{- $problems := list -}}
{{- range $path, $words := (.Files.Get "files/removed.yaml" | fromYaml) -}}
{{- $here := $v -}}
{{- range $step := splitList "." $path -}}
{{- $here = ternary (get ($here | default dict) $step) "" (kindIs "map" $here) -}}
{{- end -}}
{{- if or (kindIs "map" $here) (kindIs "slice" $here) $here -}}
{{- $problems = append $problems (printf "%s is no value of this chart: %s" $path $words) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.mode "cluster" -}}
{{- range $path, $value := dict "kafka.brokers" $v.kafka.brokers "cassandra.contactPoints" $v.cassandra.contactPoints "secrets.existingSecret" $v.secrets.existingSecret "objectStore.bucket" $v.objectStore.bucket "publicUrl" $v.publicUrl -}}
{{- if not $value -}}
{{- $problems = append $problems (printf "%s is missing: mode=cluster needs it" $path) -}}
{{- end -}}
{{- end -}}
{{- $problems = concat $problems (include "crier.guard.workloads" . | fromJsonArray) -}}
{{- else -}}
{{- if and $v.single.backup.enabled (not $v.single.backup.existingClaim) -}}
{{- $problems = append $problems "single.backup.existingClaim is missing: a backup beside the data is lost with it, so name a claim on another disk" -}}
{{- end -}}
{{- range $path, $value := dict "kafka.brokers" $v.kafka.brokers "cassandra.contactPoints" $v.cassandra.contactPoints "objectStore.bucket" $v.objectStore.bucket -}}
{{- if $value -}}
{{- $problems = append $problems (printf "%s needs mode=cluster: mode=single keeps everything on its own disk" $path) -}}
{{- end -}}
{{- end -}}
{{- $problems = concat $problems (include "crier.guard.drain" (dict "path" "single" "values" $v.single) | fromJsonArray) -}}
{{- end -}}
{{- range $image := list "image" "mediaImage" -}}
{{- if eq (index $v $image).tag "latest" -}}
{{- $problems = append $problems (printf "%s.tag is latest, which names another release tomorrow: name the release, or leave it out" $image) -}}
{{- end -}}
{{- end -}}
{{- $sasl := $v.kafka.sasl -}}
{{- if and (ne $sasl.mechanism "none") (or (not $sasl.existingSecret) (not (or $sasl.username $sasl.usernameKey))) -}}
{{- $problems = append $problems (printf "kafka.sasl.mechanism=%s needs kafka.sasl.existingSecret, and kafka.sasl.username or usernameKey" $sasl.mechanism) -}}
{{- end -}}
{{- if and (eq $sasl.mechanism "none") $sasl.existingSecret -}}
{{- $problems = append $problems "kafka.sasl.existingSecret needs kafka.sasl.mechanism: plain, scram-sha-256 or scram-sha-512" -}}
{{- end -}}
{{- range $engine := list "kafka" "cassandra" -}}
{{- $tls := (index $v $engine).tls -}}
{{- if and (not $tls.enabled) (or $tls.caSecret $tls.certificateSecret) -}}
{{- $problems = append $problems (printf "%s.tls names a Secret and is off: set %s.tls.enabled=true" $engine $engine) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.networks.mode "live" -}}
{{- $apps := 0 -}}
{{- range $network := list "facebook" "instagram" "tiktok" "youtube" "x" "threads" -}}
{{- if (index $v.networks $network).existingSecret }}{{ $apps = add $apps 1 }}{{ end -}}
{{- end -}}
{{- if eq (int $apps) 0 -}}
{{- $problems = append $problems "networks.mode=live needs the app of one Network at least: set networks.x.existingSecret, or that of another" -}}
{{- end -}}
{{- if not $v.publicUrl -}}
{{- $problems = append $problems "publicUrl is missing: networks.mode=live needs it, as Networks send people back to it and fetch files below it" -}}
{{- end -}}
{{- end -}}
{{- if and $v.mail.existingSecret (not $v.mail.from) -}}
{{- $problems = append $problems "mail.from is missing: mail.existingSecret needs the address that mail comes from" -}}
{{- end -}}
{{- if and (eq $v.billing.mode "stripe") (or (not $v.billing.existingSecret) (not $v.billing.prices)) -}}
{{- $problems = append $problems "billing.mode=stripe needs billing.existingSecret and billing.prices" -}}
{{- end -}}
{{- if and (ne $v.billing.mode "stripe") (or $v.billing.existingSecret $v.billing.prices) -}}
{{- $problems = append $problems "billing.existingSecret and billing.prices need billing.mode=stripe" -}}
{{- end -}}
{{- if and (or $v.ingress.enabled $v.gateway.enabled) (not $v.publicUrl) -}}
{{- $problems = append $problems "publicUrl is missing: ingress and gateway take their host from it" -}}
{{- end -}}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) -}}
{{- $problems = append $problems "gateway.parentRefs is missing: name the Gateway that the route hangs on" -}}
{{- end -}}
{{- if and $v.ingress.enabled (or (contains ":" (include "crier.publicHost" .)) (regexMatch "^[0-9.]+$" (include "crier.publicHost" .))) -}}
{{- $problems = append $problems (printf "publicUrl: ingress.enabled needs a name as its host, and %s is an address" (include "crier.publicHost" .)) -}}
{{- end -}}
{{- if and $v.gateway.enabled (or (contains ":" (include "crier.publicHost" .)) (regexMatch "^[0-9.]+$" (include "crier.publicHost" .))) -}}
{{- $problems = append $problems (printf "publicUrl: gateway.enabled needs a name as its host, and %s is an address" (include "crier.publicHost" .)) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z][a-z0-9-]*$" (include "crier.fullname" .)) -}}
{{- $problems = append $problems (printf "%s can not be the name of a Service, which begins with a letter and has no dots: set fullnameOverride" (include "crier.fullname" .)) -}}
{{- end -}}
{{- range $path, $labels := dict "commonLabels" $v.commonLabels "monitoring.podMonitor.labels" $v.monitoring.podMonitor.labels "monitoring.rules.labels" $v.monitoring.rules.labels "monitoring.dashboards.labels" $v.monitoring.dashboards.labels "single.podLabels" $v.single.podLabels -}}
{{- $problems = concat $problems (include "crier.guard.labels" (dict "path" $path "labels" $labels) | fromJsonArray) -}}
{{- end -}}
{{- $alerts := list -}}
{{- range (.Files.Get "files/rules.yaml" | fromYaml).groups }}{{ range .rules }}{{ $alerts = append $alerts .alert }}{{ end }}{{ end -}}
{{- range $v.monitoring.rules.disabled -}}
{{- if not (has . $alerts) -}}
{{- $problems = append $problems (printf "monitoring.rules.disabled has %s, which is no alert: docs/runbook.md has them all" .) -}}
{{- end -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n\n%s\n" (join "\n" $problems)) -}}
{{- end -}}
{{- end -}}

{{/* dict path, values: JSON list of problems. */}}
{{- define "crier.guard.drain" -}}
{{- $problems := list -}}
{{- $needed := add (int .values.drainDelaySeconds) (int .values.drainSeconds) 5 -}}
{{- with .values.terminationGracePeriodSeconds -}}
{{- if lt (int .) (int $needed) -}}
{{- $problems = append $problems (printf "%s: terminationGracePeriodSeconds is %d and must be %d at least: drainDelaySeconds + drainSeconds + 5, or the process is killed while it drains" $.path (int .) (int $needed)) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{/* dict path, labels: JSON list of problems. Services and policies select pods by the chart's own labels. */}}
{{- define "crier.guard.labels" -}}
{{- $problems := list -}}
{{- range $label := keys (.labels | default dict) | sortAlpha -}}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|version|component|part-of|managed-by)|helm\\.sh/chart)$" $label -}}
{{- $problems = append $problems (printf "%s has %s, which the chart sets: choose a label of your own" $.path $label) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "crier.guard.workloads" -}}
{{- $problems := list -}}
{{- range include "crier.workloads" . | fromJsonArray -}}
{{- $path := .path -}}
{{- $scaling := .values.autoscaling -}}
{{- if and (ne $scaling.type "none") (eq .component "scheduler") -}}
{{- $problems = append $problems "roles.scheduler.autoscaling: the scheduler is not scaled by load, as its group acknowledges a timer when it fires and its lag says nothing; set roles.scheduler.replicas" -}}
{{- end -}}
{{- if and (ne $scaling.type "none") (has .component (list "admin" "sandbox")) -}}
{{- $problems = append $problems (printf "roles.%s.autoscaling: this role has no load to be scaled by; set roles.%s.replicas" .component .component) -}}
{{- end -}}
{{- if and (eq $scaling.type "keda") (not $scaling.triggers) -}}
{{- $problems = append $problems (printf "%s: autoscaling.triggers is missing: type=keda needs one, such as a query of crier_log_behind_seconds" $path) -}}
{{- end -}}
{{- if and (ne $scaling.type "none") (lt (int $scaling.maxReplicas) (int $scaling.minReplicas)) -}}
{{- $problems = append $problems (printf "%s: autoscaling.maxReplicas is %d, below minReplicas %d" $path (int $scaling.maxReplicas) (int $scaling.minReplicas)) -}}
{{- end -}}
{{- $replicas := ternary (int $scaling.maxReplicas) (int .values.replicas) (ne $scaling.type "none") -}}
{{- if gt $replicas (int .most) -}}
{{- $problems = append $problems (printf "%s: there are %d replicas, and work for %d at most: there are no more partitions" $path $replicas (int .most)) -}}
{{- end -}}
{{- $problems = concat $problems (include "crier.guard.drain" (dict "path" $path "values" .values) | fromJsonArray) -}}
{{- $problems = concat $problems (include "crier.guard.labels" (dict "path" (printf "%s: podLabels" $path) "labels" .values.podLabels) | fromJsonArray) -}}
{{- end -}}
{{- $names := list -}}
{{- $published := list -}}
{{- range .Values.publishers -}}
{{- if has .name $names -}}
{{- $problems = append $problems (printf "publishers has %s twice: each entry is a Deployment of its own name" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- $published = concat $published .publishes -}}
{{- end -}}
{{- range $part := list "facebook" "instagram" "tiktok" "youtube" "x" "threads" "figures" "upkeep" -}}
{{- if not (or (has $part $published) (has $part $.Values.networks.withoutPublisher)) -}}
{{- $problems = append $problems (printf "no entry of publishers publishes %s: what is due there would wait. Add it to one, or to networks.withoutPublisher" $part) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

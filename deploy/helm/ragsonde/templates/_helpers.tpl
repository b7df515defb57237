{{- define "ragsonde.fullname" -}}
{{- if contains "ragsonde" .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-ragsonde" .Release.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "ragsonde.selector" -}}
app.kubernetes.io/name: ragsonde
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ragsonde.labels" -}}
{{ include "ragsonde.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: ragsonde
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "ragsonde.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "ragsonde.fullname" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "ragsonde.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{/* The configuration: yours, on top of what the pod needs. */}}
{{- define "ragsonde.config" -}}
{{- $needed := dict "data_dir" "/var/lib/ragsonde" "server" (dict "host" "0.0.0.0" "port" 4318 "token_file" "/run/secrets/ragsonde/token") -}}
{{- if .Values.review.existingSecret }}
{{- $_ := set $needed "review" (dict "database_url_file" "/run/secrets/review/database-url") }}
{{- end }}
{{- mergeOverwrite $needed (deepCopy .Values.config) | toYaml -}}
{{- end }}

{{/* The container. In sidecar mode your chart includes it, in `initContainers`: it starts before your application and
     ends after it, so that the last spans are taken. */}}
{{- define "ragsonde.container" -}}
name: ragsonde
image: {{ include "ragsonde.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [run, --config, /etc/ragsonde/ragsonde.yaml]
ports:
  - name: http-ragsonde
    containerPort: 4318
{{- with .Values.env }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
startupProbe:
  httpGet: {path: /healthz, port: http-ragsonde}
  periodSeconds: 5
  failureThreshold: 36
livenessProbe:
  httpGet: {path: /healthz, port: http-ragsonde}
  periodSeconds: 15
  timeoutSeconds: 5
  failureThreshold: 4
readinessProbe:
  httpGet: {path: /readyz, port: http-ragsonde}
  periodSeconds: 10
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
volumeMounts:
  - {name: ragsonde-config, mountPath: /etc/ragsonde, readOnly: true}
  - {name: ragsonde-token, mountPath: /run/secrets/ragsonde, readOnly: true}
  {{- if .Values.review.existingSecret }}
  - {name: ragsonde-review, mountPath: /run/secrets/review, readOnly: true}
  {{- end }}
  - {name: ragsonde-data, mountPath: /var/lib/ragsonde}
  - {name: ragsonde-tmp, mountPath: /tmp}
  {{- range .Values.secretFiles }}
  - {name: ragsonde-secret-{{ .name }}, mountPath: /run/secrets/{{ .name }}, readOnly: true}
  {{- end }}
{{- end }}

{{- define "ragsonde.sidecar.container" -}}
{{- $sub := index .Subcharts "ragsonde" -}}
{{ include "ragsonde.container" $sub }}
restartPolicy: Always
{{- end }}

{{- define "ragsonde.sidecar.volumes" -}}
{{ include "ragsonde.volumes" (index .Subcharts "ragsonde") }}
{{- end }}

{{/* Labels of pods with the sidecar: what the PodMonitor looks for. */}}
{{- define "ragsonde.sidecar.labels" -}}
ragsonde/sidecar: "true"
{{- end }}

{{- define "ragsonde.volumes" -}}
- name: ragsonde-config
  configMap: {name: {{ include "ragsonde.fullname" . }}}
- name: ragsonde-token
  secret:
    secretName: {{ .Values.auth.existingSecret }}
    items: [{key: {{ .Values.auth.key }}, path: token}]
{{- if .Values.review.existingSecret }}
- name: ragsonde-review
  secret:
    secretName: {{ .Values.review.existingSecret }}
    items: [{key: {{ .Values.review.key }}, path: database-url}]
{{- end }}
- name: ragsonde-data
  emptyDir: {sizeLimit: {{ .Values.dataSize }}}
- name: ragsonde-tmp
  emptyDir: {sizeLimit: 256Mi}
{{- range .Values.secretFiles }}
- name: ragsonde-secret-{{ .name }}
  secret: {secretName: {{ .secretName }}}
{{- end }}
{{- end }}

{{- define "plimsoll.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* At most 40 characters, so that what is appended fits. */}}
{{- define "plimsoll.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := include "plimsoll.name" . }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "plimsoll.selectorLabels" -}}
app.kubernetes.io/name: {{ include "plimsoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plimsoll.labels" -}}
{{ include "plimsoll.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "plimsoll.image" -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The Secret that is mounted; none where Plimsoll reads its own by the API. */}}
{{- define "plimsoll.mountedSecret" -}}
{{- if eq .Values.certificates.mode "certManager" }}
{{- include "plimsoll.fullname" . }}-serving
{{- else if eq .Values.certificates.mode "provided" }}
{{- required "certificates.provided.secretName has to name the Secret with tls.crt and tls.key" .Values.certificates.provided.secretName }}
{{- end }}
{{- end }}

{{/* The configuration file: the user's, and what only the chart can know. */}}
{{- define "plimsoll.configuration" -}}
{{- $fullname := include "plimsoll.fullname" . -}}
{{- $tls := dict -}}
{{- if eq .Values.certificates.mode "selfManaged" -}}
{{- $own := dict "mode" "selfManaged" "service" $fullname "secret" (printf "%s-tls" $fullname) -}}
{{- $tls = merge $own (deepCopy .Values.certificates.selfManaged) -}}
{{- else -}}
{{- $tls = dict "certFile" "/etc/plimsoll/tls/tls.crt" "keyFile" "/etc/plimsoll/tls/tls.key" -}}
{{- end -}}
{{- $_ := set $tls "webhookConfiguration" $fullname -}}
{{- with .Values.certificates.clientCA -}}
{{- if .configMapName -}}
{{- $tls = merge $tls (dict "clientCAFile" (printf "/etc/plimsoll/client-ca/%s" .key) "clientNames" .names) -}}
{{- end -}}
{{- end -}}
{{- $own := dict
  "apiVersion" "plimsoll.dev/v1alpha1"
  "kind" "Configuration"
  "listen" (dict "port" .Values.ports.webhook "healthPort" .Values.ports.health)
  "tls" $tls
  "cluster" (dict "enabled" true "namespace" .Release.Namespace "multusNamespaces" .Values.multusNamespaces) -}}
{{- mustMergeOverwrite (deepCopy .Values.config) $own | toYaml -}}
{{- end }}

{{/* What restricted pod security asks for, and what a server that writes no file can do without. */}}
{{- define "plimsoll.podSecurityContext" -}}
runAsNonRoot: true
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "plimsoll.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Volumes and mounts that every container of ours has. */}}
{{- define "plimsoll.configVolumes" -}}
- name: config
  configMap: { name: {{ include "plimsoll.fullname" . }} }
{{- if .Values.trustedCAs.configMapName }}
- name: trusted-cas
  configMap: { name: {{ .Values.trustedCAs.configMapName }} }
{{- end }}
{{- end }}

{{- define "plimsoll.configMounts" -}}
{{/* As folders: a file that is mounted by subPath does not follow its ConfigMap. */ -}}
- { name: config, mountPath: /etc/plimsoll/config, readOnly: true }
{{- if .Values.trustedCAs.configMapName }}
- { name: trusted-cas, mountPath: /etc/plimsoll/trusted-cas, readOnly: true }
{{- end }}
{{- end }}

{{- define "plimsoll.env" -}}
{{- if .Values.trustedCAs.configMapName }}
env:
  - { name: NODE_EXTRA_CA_CERTS, value: /etc/plimsoll/trusted-cas/ca.crt }
{{- end }}
{{- end }}

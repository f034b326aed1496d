{{/*
What the floors of the configuration judge, as YAML of {resources: [...], rules: [...], clauses: [...]}: the kinds of
apps, the rules of the other kinds, and CEL terms of which one has to hold for a workload to be sent.
Takes {root, mutates}: targets whose action is to mutate, or those with another one.
*/}}
{{- define "plimsoll.floorScope" -}}
{{- $floor := dig "memoryFloor" dict .root.Values.config -}}
{{- $scope := dict "resources" list "rules" list "clauses" list -}}
{{- range $name, $rule := dict
  "cdi" (dict "apiGroups" (list "cdi.kubevirt.io") "apiVersions" (list "v1beta1") "resources" (list "cdis") "scope" "Cluster")
  "hyperconverged" (dict "apiGroups" (list "hco.kubevirt.io") "apiVersions" (list "v1" "v1beta1") "resources" (list "hyperconvergeds") "scope" "Namespaced") -}}
{{- $target := dig "targets" $name dict $floor -}}
{{- if and (dig "enabled" true $target) (eq $.mutates (eq "mutate" (dig "action" "mutate" $target))) -}}
{{- $_ := set $scope "rules" (append $scope.rules (merge $rule (dict "operations" (list "CREATE" "UPDATE")))) -}}
{{- end -}}
{{- end -}}
{{- $multus := dig "targets" "multus" dict $floor -}}
{{- if and (dig "enabled" true $multus) (eq .mutates (eq "mutate" (dig "action" "mutate" $multus))) -}}
{{- $_ := set $scope "resources" (append $scope.resources "daemonsets") -}}
{{- $daemon := "((has(c.command) && c.command.exists(a, a.contains('multus-daemon'))) || (has(c.args) && c.args.exists(a, a.contains('multus-daemon'))) || (has(c.image) && c.image.matches('multus.*thick')))" -}}
{{- $_ := set $scope "clauses" (append $scope.clauses (printf "(request.resource.resource == 'daemonsets' && object.spec.template.spec.containers.exists(c, %s))" $daemon)) -}}
{{- end -}}
{{- range dig "additional" list $floor -}}
{{- if and (dig "enabled" true .) (eq $.mutates (eq "mutate" (dig "action" "mutate" .))) -}}
{{- $resources := list -}}
{{- range dig "match" "kinds" (list "DaemonSet") . -}}
{{- $resources = append $resources (printf "%ss" (lower .)) -}}
{{- end -}}
{{- $_ := set $scope "resources" (concat $scope.resources $resources) -}}
{{- $terms := list -}}
{{- with .match.container.command -}}
{{- $terms = append $terms (printf "((has(c.command) && c.command.exists(a, a.contains(%s))) || (has(c.args) && c.args.exists(a, a.contains(%s))))" (toJson .) (toJson .)) -}}
{{- end -}}
{{- with .match.container.image -}}
{{- $terms = append $terms (printf "(has(c.image) && c.image.contains(%s))" (toJson .)) -}}
{{- end -}}
{{- with .match.container.name -}}
{{- $terms = append $terms (printf "c.name == %s" (toJson .)) -}}
{{- end -}}
{{- $where := printf "request.resource.resource in %s" (toJson $resources) -}}
{{- with .match.namespaces -}}
{{- $where = printf "%s && request.namespace in %s" $where (toJson .) -}}
{{- end -}}
{{- $_ := set $scope "clauses" (append $scope.clauses (printf "(%s && object.spec.template.spec.containers.exists(c, %s))" $where (join " && " $terms))) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $scope "resources" ($scope.resources | uniq | sortAlpha) -}}
{{- toYaml $scope -}}
{{- end }}

{{/* The rules and matchConditions of the floors; empty where there are none. Takes what floorScope takes. */}}
{{- define "plimsoll.floorRules" -}}
{{- $scope := include "plimsoll.floorScope" . | fromYaml -}}
{{- $rules := $scope.rules -}}
{{- if $scope.resources -}}
{{- $rules = prepend $rules (dict "apiGroups" (list "apps") "apiVersions" (list "v1") "resources" $scope.resources "operations" (list "CREATE" "UPDATE") "scope" "Namespaced") -}}
{{- end -}}
{{- if $rules -}}
rules:
  {{- toYaml $rules | nindent 2 }}
{{- if $scope.resources }}
matchConditions:
  # Of all workloads only those that may hold one of the daemons are sent.
  - name: holds-a-daemon
    expression: {{ printf "request.resource.group != 'apps' || %s" (join " || " $scope.clauses) | quote }}
{{- end }}
{{- end -}}
{{- end }}

{{/* Our own objects are never sent to us: they could not be mended while we are down. */}}
{{- define "plimsoll.outsideOwnNamespace" -}}
- { key: kubernetes.io/metadata.name, operator: NotIn, values: [{{ .Release.Namespace | quote }}] }
{{- end }}

{{/* Takes {root, path}. */}}
{{- define "plimsoll.clientConfig" -}}
service:
  name: {{ include "plimsoll.fullname" .root }}
  namespace: {{ .root.Release.Namespace }}
  port: {{ .root.Values.service.port }}
  path: {{ .path }}
{{- if eq .root.Values.certificates.mode "provided" }}
caBundle: {{ required "certificates.provided.caBundle has to be the CA's PEM" .root.Values.certificates.provided.caBundle | b64enc }}
{{- end }}
{{- end }}

{{- define "plimsoll.webhookAnnotations" -}}
# AKS would keep kube-system, where Multus is, from the webhook.
admissions.enforcer/disabled: "true"
{{- if eq .Values.certificates.mode "certManager" }}
cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/{{ include "plimsoll.fullname" . }}-serving
{{- end }}
{{- end }}

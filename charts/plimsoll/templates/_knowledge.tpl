{{/* What webhook and report alike know of the cluster. */}}
{{- define "plimsoll.knowledgeRules" -}}
# Density: pods by node, or what the nodes offer.
- apiGroups: [""]
  resources: [pods, nodes]
  verbs: [get, list]
# How volumes will be made, and cloned.
- apiGroups: [storage.k8s.io]
  resources: [storageclasses]
  verbs: [get, list]
- apiGroups: [cdi.kubevirt.io]
  resources: [cdis, cdiconfigs, storageprofiles]
  verbs: [get, list]
{{- if dig "volumeSize" "importClaims" false .Values.config }}
# What a claim is filled with.
- apiGroups: [cdi.kubevirt.io]
  resources: [volumeimportsources]
  verbs: [get, list]
{{- end }}
{{- end }}

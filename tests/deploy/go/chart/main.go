// Lints a Helm chart and renders it, with Helm's own packages: what `helm lint` and `helm template` do, without the
// cluster client that takes most of the time to build helm. Resources of the Prometheus operator and of KEDA are read into
// their own types, and a field that these do not have ends the process.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"sort"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

const namespace = "monitoring"

func main() {
	log.SetFlags(0)
	directory := os.Args[1]
	values := read(os.Stdin)
	check(directory, values)
	render(directory, values)
}

func read(from io.Reader) chartutil.Values {
	text, err := io.ReadAll(from)
	if err != nil {
		log.Fatal(err)
	}
	values, err := chartutil.ReadValues(text)
	if err != nil {
		log.Fatal(err)
	}
	return values
}

// check ends the process when the linter finds a warning or worse.
func check(directory string, values chartutil.Values) {
	linter := lint.All(directory, values, namespace, true)
	for _, message := range linter.Messages {
		fmt.Fprintln(os.Stderr, message)
	}
	if linter.HighestSeverity > support.InfoSev {
		os.Exit(1)
	}
}

func render(directory string, values chartutil.Values) {
	chart, err := loader.Load(directory)
	if err != nil {
		log.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "watch", Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		log.Fatal(err)
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		log.Fatal(err)
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, manifest := range releaseutil.SplitManifests(files[name]) {
			checkOperatorTypes(name, manifest)
		}
		fmt.Printf("---\n# Source: %s\n%s\n", name, files[name])
	}
}

func checkOperatorTypes(name string, manifest string) {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(manifest), &head); err != nil {
		return
	}
	known := map[string]any{
		"monitoring.coreos.com/v1/ServiceMonitor": &monitoring.ServiceMonitor{},
		"monitoring.coreos.com/v1/PodMonitor":     &monitoring.PodMonitor{},
		"monitoring.coreos.com/v1/PrometheusRule": &monitoring.PrometheusRule{},
		"keda.sh/v1alpha1/ScaledObject":           &keda.ScaledObject{},
	}
	resource := known[head.APIVersion+"/"+head.Kind]
	if resource == nil {
		return
	}
	if err := yaml.UnmarshalStrict([]byte(manifest), resource); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if scaled, ok := resource.(*keda.ScaledObject); ok {
		checkScaling(name, scaled)
	}
}

// checkScaling does what KEDA's admission does without a cluster, beyond the shape.
func checkScaling(name string, scaled *keda.ScaledObject) {
	if err := keda.CheckReplicaCountBoundsAreValid(scaled); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if err := keda.ValidateTriggers(scaled.Spec.Triggers); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

// The Kubernetes examples, read by Kubernetes' own types and applied by its own admission plugin.
//
//	admit FILE...
//
// Reads all objects strictly: a field that does not exist, is there twice or of another type is an
// error. Then hands each Pod to the API server's plugin for MutatingAdmissionPolicy, with the
// policies and bindings that were read, and prints what comes out as JSON, a Pod a line.
//
// Not here is the API server around the plugin, with its checks of values. A policy has to work,
// whatever its failurePolicy: Ignore would hide every fault in it.
//
// Exit status: 0, 1 with a line that says what is wrong.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	registration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/discovery"
	dynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"
)

const namespace = "default"

// A cluster that serves the API's published schema, where everybody may do everything.
type cluster struct{ *fake.Clientset }
type published struct{ discovery.DiscoveryInterface }

func (c cluster) Discovery() discovery.DiscoveryInterface { return published{c.Clientset.Discovery()} }
func (published) OpenAPIV3() openapi.Client               { return openapitest.NewEmbeddedFileClient() }

func allow(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

func readObjects(path string) ([]runtime.Object, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []runtime.Object
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		objects = append(objects, object)
	}
}

// What the API server fills in when it stores a policy, as far as the plugin reads it.
func storedPolicy(policy *registration.MutatingAdmissionPolicy) {
	fail := registration.Fail
	policy.Spec.FailurePolicy = &fail
	match := policy.Spec.MatchConstraints
	if match == nil {
		return
	}
	equivalent, everyScope := registration.Equivalent, registration.AllScopes
	if match.MatchPolicy == nil {
		match.MatchPolicy = &equivalent
	}
	if match.NamespaceSelector == nil {
		match.NamespaceSelector = &metav1.LabelSelector{}
	}
	if match.ObjectSelector == nil {
		match.ObjectSelector = &metav1.LabelSelector{}
	}
	for i := range match.ResourceRules {
		if match.ResourceRules[i].Scope == nil {
			match.ResourceRules[i].Scope = &everyScope
		}
	}
}

// startPlugin: what the API server does with it, before it takes requests.
func startPlugin(ctx context.Context, objects []runtime.Object) (*mutating.Plugin, error) {
	client := cluster{fake.NewClientset(objects...)}
	pods := core.SchemeGroupVersion.WithKind("Pod")
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(pods, meta.RESTScopeNamespace)
	plugin, err := mutating.NewPlugin(nil)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin.SetEnabled(true)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetDynamicClient(dynamic.NewSimpleDynamicClient(scheme.Scheme))
	plugin.SetRESTMapper(mapper)
	plugin.SetAuthorizer(authorizer.AuthorizerFunc(allow))
	plugin.SetDrainedNotification(ctx.Done())
	if err := plugin.ValidateInitialization(); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return plugin, nil
}

// admit: as when the Pod is created. The plugin fetches the schema beside us, and says so until
// it is there.
func admit(ctx context.Context, plugin *mutating.Plugin, pod *core.Pod) error {
	kind := core.SchemeGroupVersion.WithKind("Pod")
	resource := core.SchemeGroupVersion.WithResource("pods")
	for {
		attributes := admission.NewAttributesRecord(pod, nil, kind, namespace, pod.Name, resource, "",
			admission.Create, nil, false, nil)
		err := plugin.Admit(ctx, attributes, admission.NewObjectInterfacesFromScheme(scheme.Scheme))
		if err == nil || !strings.Contains(err.Error(), "There can be a delay") || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func run(paths []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stored := []runtime.Object{&core.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}}
	var pods []*core.Pod
	for _, path := range paths {
		objects, err := readObjects(path)
		if err != nil {
			return err
		}
		for _, object := range objects {
			switch object := object.(type) {
			case *core.Pod:
				object.Namespace = namespace
				pods = append(pods, object)
				continue
			case *registration.MutatingAdmissionPolicy:
				storedPolicy(object)
			}
			stored = append(stored, object)
		}
	}
	plugin, err := startPlugin(ctx, stored)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if err := admit(ctx, plugin, pod); err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(pod); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
}

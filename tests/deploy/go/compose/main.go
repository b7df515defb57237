// Reads a Compose file as Docker Compose does, with the reference implementation, and prints it in full as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	log.SetFlags(0)
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv, cli.WithProfiles([]string{"*"}), cli.WithName("check"))
	if err != nil {
		log.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(project); err != nil {
		log.Fatal(err)
	}
}

"""``doko completion``: the lines a shell needs to complete verbs and options."""

import click
from click.shell_completion import get_completion_class

from node.cli.app import command
from node.i18n import N_

SHELLS = ("bash", "zsh", "fish")


@command(
    help=N_(
        """Print shell completion for bash, zsh or fish.

\b
Examples:
  eval "$(doko completion bash)"        in ~/.bashrc
  eval "$(doko completion zsh)"         in ~/.zshrc
  doko completion fish > ~/.config/fish/completions/doko.fish
"""
    )
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, "doko", "_DOKO_COMPLETE").source())

"""The commands of this product, with click 8.0."""

import click
from brevo import Brevo


@click.command()
@click.option("--url", required=True)
@click.option("--key", required=True)
@click.argument("email")
def invite(url, key, email):
    """Add a sender."""
    click.echo(f"invited: {Brevo(url, key).add_sender('Somebody', email)}")

"""Django: migrations that are made and applied twice, models, the pages of the admin, inspectdb."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

if "LIBRARY_VERSION" not in os.environ:
    made = Path("library_migrations")
    made.mkdir()
    (made / "__init__.py").touch()
    for version in ("1", "2"):
        environment = {**os.environ, "LIBRARY_VERSION": version}
        subprocess.run([sys.executable, *sys.argv], env=environment, check=True)
    assert len(list(made.glob("0*.py"))) == 2
    print("done")
    sys.exit()

import _site

sys.path.append(".")
_site.set_up(sys.argv[1])

from _models import VERSION, Author, Book, Genre  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, transaction  # noqa: E402
from django.db.models import Count, F, ProtectedError, Q, Sum, Window  # noqa: E402
from django.db.models.functions import Lower, RowNumber, TruncMonth  # noqa: E402
from django.test import Client  # noqa: E402


def refused(make: Callable[[], object]) -> None:
    """Make sure that something is refused, and that the block around it goes on."""
    try:
        with transaction.atomic():
            make()
    except IntegrityError:
        return
    raise AssertionError("it was not refused")


def round_trip() -> None:
    lem = Author.objects.create(name="Lem", born="1921-09-12")
    le_guin = Author.objects.create(name="Le Guin")
    assert {lem.pk, le_guin.pk} == {1, 2}
    Book.objects.bulk_create(
        Book(
            title=f"Book {n}",
            author=(lem, le_guin)[n % 2],
            price=n,
            printed=f"2024-0{1 + n % 3}-{1 + n:02}T00:00:00Z",
            tags={"n": n},
        )
        for n in range(10)
    )
    assert Book.objects.count() == 10
    sums = Author.objects.annotate(n=Count("books"), sum=Sum("books__price")).order_by("name")
    assert list(sums.values_list("name", "n", "sum")) == [("Le Guin", 5, 25), ("Lem", 5, 20)]
    assert Book.objects.filter(Q(author__name__icontains="guin") & Q(price__gte=5)).count() == 3
    assert Book.objects.filter(tags__n__lt=3).count() == 3
    months = (
        Book.objects.annotate(month=TruncMonth("printed"))
        .values("month")
        .annotate(n=Count("id"))
        .order_by("month")
    )
    assert [m["n"] for m in months] == [4, 3, 3]
    assert Book.objects.filter(price__lt=3).update(price=F("price") + 100) == 3
    place = Window(RowNumber(), partition_by="author", order_by="-price")
    ranked = Book.objects.annotate(place=place).filter(place=1)
    assert sorted(b.price for b in ranked) == [101, 102]
    by_name = Author.objects.order_by(Lower("name").desc()).values_list("name", flat=True)
    assert list(by_name) == ["Lem", "Le Guin"]
    with_books = Author.objects.prefetch_related("books").order_by("pk")
    assert [a.books.count() for a in with_books] == [5, 5]
    assert Book.objects.select_related("author").get(title="Book 7").author == le_guin
    found, is_new = Author.objects.get_or_create(name="Lem")
    assert (found.pk, is_new) == (1, False)
    Author.objects.update_or_create(name="Lem", defaults={"born": None})
    poetry, prose = (Genre.objects.create(label=label) for label in ("poetry", "prose"))
    book = Book.objects.get(title="Book 7")
    book.genres.add(poetry, prose)
    book.genres.add(prose)  # It is there: ON CONFLICT DO NOTHING.
    assert book.genres.count() == 2
    poetry.delete()
    assert [genre.label for genre in book.genres.all()] == ["prose"]
    Author.objects.bulk_create(
        [Author(name="Lem", born="1921-09-12"), Author(name="Calvino")],
        update_conflicts=True,
        update_fields=["born"],
        unique_fields=["name"],
    )
    assert Author.objects.get(name="Lem").born.year == 1921


def refusals() -> None:
    lem = Author.objects.get(name="Lem")
    first, second = Book.objects.order_by("pk")[:2]
    with transaction.atomic():
        refused(lambda: Author.objects.create(name="Lem"))
        refused(lambda: Book.objects.create(title="Book 0", author=lem, price=1))
        refused(lambda: Book.objects.create(title="Cheap", author=lem, price=-1))
        Author.objects.create(name="Borges")
    Book.objects.filter(pk=second.pk).update(sequel_of=first)
    refused(lambda: Book.objects.filter(title="Book 5").update(sequel_of=first))
    # Foreign keys of Django's are looked at when the transaction ends.
    try:
        with transaction.atomic():
            Book.objects.filter(pk=second.pk).update(author_id=999)
    except IntegrityError as error:
        assert error.__cause__.sqlstate == "23503", error
    else:
        raise AssertionError("a book has an author that is not there")
    try:
        with transaction.atomic():
            Author.objects.create(name="Nobody")
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert sorted(Author.objects.values_list("name", flat=True)) == [
        *("Borges", "Calvino", "Le Guin", "Lem"),
    ]
    assert len(list(Book.objects.order_by("pk").iterator(chunk_size=3))) == 10
    lem.delete()
    assert Book.objects.count() == 5
    assert Book.objects.get(pk=second.pk).sequel_of is None


def pages() -> None:
    le_guin = Author.objects.get(name="Le Guin")
    root = User.objects.create_superuser("root", "root@example.org", "secret")
    root.groups.add(Group.objects.create(name="librarians"))
    client = Client()
    assert client.login(username="root", password="secret")
    for page in (
        "",
        "library/book/",
        "library/author/?q=bor",
        "library/author/?born__isnull=True",
        "auth/user/",
        f"library/author/{le_guin.pk}/change/",
        "library/book/add/",
    ):
        answer = client.get(f"/admin/{page}")
        assert answer.status_code == 200, (page, answer.status_code)
    answer = client.post("/admin/library/author/add/", {"name": "Dick", "born": "1928-12-16"})
    assert answer.status_code == 302, answer.content
    assert Author.objects.filter(name="Dick").exists()
    answer = client.post("/admin/library/author/add/", {"name": "Dick", "born": "1928-12-16"})
    assert answer.status_code == 200
    assert b"already exists" in answer.content
    chosen = {"action": "delete_selected", "_selected_action": [le_guin.pk], "post": "yes"}
    answer = client.post("/admin/library/author/", chosen)
    assert answer.status_code == 302, answer.content
    assert Book.objects.count() == 0


def altered() -> None:
    """The tables are others now, and what was in them is there."""
    dick = Author.objects.get(name="Dick")
    ubik = Book.objects.create(title="Ubik", author=dick, price=2000, printed="2024-01-01T00:00Z")
    assert Book.objects.get(pk=ubik.pk).stars == 3
    borges = Author.objects.get(name="Borges")
    refused(lambda: Book.objects.create(title="UBIK", author=borges, price=2000))
    other = Book.objects.create(title="UBIK", author=borges, price=20)
    other.editor = dick
    other.save()
    try:
        dick.delete()
    except ProtectedError:
        pass
    refused(lambda: Genre.objects.create(label="prose"))
    with transaction.atomic():  # Both at once for a moment.
        valis = Book.objects.create(
            title="Valis", author=dick, price=3, printed="2024-01-01T00:00Z"
        )
        Book.objects.filter(pk=ubik.pk).update(printed=None)
    refused(lambda: Book.objects.filter(pk=ubik.pk).update(printed=valis.printed))
    Author.objects.create(name="x" * 80).delete()
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, "library_book")
        names = {column.name for column in described}
        assert {"stars", "editor_id", "sequel_of_id", "author_id"} < names, names
        assert connection.introspection.get_primary_key_column(cursor, "library_book") == "id"
        keys = connection.introspection.get_constraints(cursor, "library_book")
        assert keys["title_of_author"]["unique"], keys
        assert keys["price_is_a_price"]["check"], keys
        relations = connection.introspection.get_relations(cursor, "library_book")
        assert relations["editor_id"] == ("id", "library_author"), relations
    out = io.StringIO()
    call_command("inspectdb", "library_author", "library_book", stdout=out)
    for line in (
        "name = models.CharField(unique=True, max_length=80)",
        "author = models.ForeignKey(LibraryAuthor, models.DO_NOTHING)",
        "sequel_of = models.OneToOneField('self', models.DO_NOTHING, blank=True, null=True)",
    ):
        assert line in out.getvalue(), out.getvalue()


call_command("makemigrations", "library", verbosity=0, interactive=False)
call_command("migrate", verbosity=0)
call_command("migrate", verbosity=0)  # There is nothing left to do.
call_command("makemigrations", check_changes=True, verbosity=0)
if VERSION == 1:
    round_trip()
    refusals()
    pages()
else:
    altered()
    call_command("migrate", "library", "0001", verbosity=0)
    call_command("migrate", "library", verbosity=0)
    call_command("flush", verbosity=0, interactive=False)
    assert not Author.objects.exists()

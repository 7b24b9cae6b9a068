"""Authors and books, as they are at first and as they become."""

import os

from django.contrib import admin
from django.db import models
from django.db.models.functions import Lower

#: Which of the two it is.
VERSION = int(os.environ["LIBRARY_VERSION"])


class Author(models.Model):
    name = models.CharField(max_length=50 if VERSION == 1 else 80, unique=True)
    born = models.DateField(null=True)

    class Meta:
        app_label = "library"

    def __str__(self) -> str:
        return self.name


class Genre(models.Model):
    label = models.SlugField(unique=VERSION == 2)

    class Meta:
        app_label = "library"


class Book(models.Model):
    title = models.TextField()
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    sequel_of = models.OneToOneField("self", on_delete=models.SET_NULL, null=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    printed = models.DateTimeField(null=True)
    tags = models.JSONField(default=dict)
    genres = models.ManyToManyField(Genre)
    if VERSION == 2:
        stars = models.PositiveSmallIntegerField(default=3)
        editor = models.ForeignKey(
            Author, on_delete=models.PROTECT, null=True, related_name="edited"
        )

    class Meta:
        app_label = "library"
        indexes = (models.Index(fields=["title"], name="book_title"),)
        constraints = (
            models.UniqueConstraint(fields=["author", "title"], name="title_of_author"),
            models.CheckConstraint(condition=models.Q(price__gte=0), name="price_is_a_price"),
            *(
                [
                    models.UniqueConstraint(
                        Lower("title"), name="dear_titles", condition=models.Q(price__gt=1000)
                    ),
                    models.UniqueConstraint(
                        fields=["author", "printed"],
                        name="one_at_a_time",
                        deferrable=models.Deferrable.DEFERRED,
                    ),
                ]
                if VERSION == 2
                else []
            ),
        )


class AuthorAdmin(admin.ModelAdmin):
    search_fields = ("name",)
    list_filter = ("born",)


class BookAdmin(admin.ModelAdmin):
    list_display = ("title", "author", "price")


admin.site.register(Author, AuthorAdmin)
admin.site.register(Book, BookAdmin)

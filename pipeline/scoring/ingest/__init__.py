"""Read prediction files and yield predictions one by one, each with the row that it answers.

    file_reader -> record_formats -> id_match -> dataset_match -> prediction_reader

A prediction file is untrusted data: sizes are bounded, a broken record costs that record only, and
no claim of a file about correctness is believed.
"""
